import type { DestinationStream } from 'pino';

export interface Logger {
  info?: ((message: string, details?: unknown) => void) | undefined;
  warn?: ((message: string, details?: unknown) => void) | undefined;
  error?: ((message: string, details?: unknown) => void) | undefined;
}

const [warn, error] = [40, 50];

/** Gives each line of the log to a logger in the ancestor's form. */
export const writeToLogger = (logger: Logger): DestinationStream => ({
  write(line) {
    const { level, msg, ...details } = JSON.parse(line) as { level: number; msg?: string };
    logger[level >= error ? 'error' : level >= warn ? 'warn' : 'info']?.(msg ?? '', details);
  },
});
