import { pino, type DestinationStream, type Logger } from 'pino';
import { toLoggableMessage } from './shared/loggable-message.ts';

export type { Logger };

/** What could hold a secret or a person's data; Postgres quotes values in the last three. */
const privateName = /secret|token|password|authorization|api_?key|credential|^body$|^bindings$|^detail$|^where$/i;
const maxDepth = 5;

/** Lines of JSON on standard output. What is private by its name is cut out, should it ever be logged. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    formatters: { log: (fields: Record<string, unknown>) => redact(fields, maxDepth) as Record<string, unknown> },
    serializers: { err: (error: unknown) => error },
  };
  return destination ? pino(options, destination) : pino(options);
}

function redact(value: unknown, depthLeft: number): unknown {
  if (value instanceof Error) return describe(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depthLeft === 0) return '[deep]';
  if (Array.isArray(value)) return value.map((item) => redact(item, depthLeft - 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, privateName.test(name) ? '[redacted]' : redact(inner, depthLeft - 1)]),
  );
}

/** Of an error its message, code and place: other libraries hang whole requests and rows on theirs. */
function describe(error: Error): Record<string, unknown> {
  const { code } = error as { code?: unknown };
  const message = toLoggableMessage(error);
  return {
    name: error.name,
    message,
    ...(code !== undefined && { code }),
    // A stack begins with the message.
    stack: message === error.message ? error.stack : error.stack?.replace(/^.*?(?=^ +at |$(?![^]))/ms, ''),
    ...(error.cause instanceof Error && { cause: describe(error.cause) }),
  };
}
