import { pino, type DestinationStream, type Logger } from 'pino';
import { toLoggableMessage } from './shared/loggable-message.ts';

export type { Logger };
export type LogFormat = 'json' | 'text';

/** What could hold a secret or a person's data; Postgres quotes values in the last three. */
const privateName = /secret|token|password|authorization|api_?key|credential|^body$|^bindings$|^detail$|^where$/i;
const maxDepth = 5;

/**
 * Writes text to a terminal and JSON elsewhere, unless the format is given. A destination always receives JSON.
 * Fields that are private by their name are redacted.
 */
export function createLogger(level: string, destination?: DestinationStream, format?: LogFormat): Logger {
  const options = {
    level,
    base: null,
    formatters: { log: (fields: Record<string, unknown>) => redact(fields, maxDepth) as Record<string, unknown> },
    serializers: { err: (error: unknown) => error },
  };
  if (destination) return pino(options, destination);
  if (!isText(format, process.stdout)) return pino(options);
  const stdout = pino.destination(1);
  return pino(options, { write: (line: string) => void stdout.write(toText(JSON.parse(line) as Entry)) });
}

interface Entry {
  level: number;
  time: number;
  msg?: string;
  [field: string]: unknown;
}

/** One line outside of a logger, in the format that the logger has on this stream. */
export const renderLine = (entry: Entry, format: LogFormat | undefined, stream: { isTTY?: boolean }): string =>
  isText(format, stream) ? toText(entry) : `${JSON.stringify(entry)}\n`;

const isText = (format: LogFormat | undefined, { isTTY }: { isTTY?: boolean }) =>
  format === undefined ? isTTY === true : format === 'text';

/** `2026-11-21T08:43:54.120Z INFO  message key=value`. The stack of an error follows on lines of its own. */
function toText({ level, time, msg, ...fields }: Entry): string {
  const stacks: string[] = [];
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${toValue(value, stacks)}`);
  const label = (pino.levels.labels[level] ?? String(level)).toUpperCase().padEnd(5);
  const line = [new Date(time).toISOString(), label, ...(msg ? [escapeControls(msg)] : []), ...pairs].join(' ');
  return [line, ...stacks].map((text) => `${text}\n`).join('');
}

function toValue(value: unknown, stacks: string[]): string {
  if (typeof value === 'string') return escapeControls(/^[^\s"=]+$/.test(value) ? value : JSON.stringify(value));
  if (typeof value !== 'object' || value === null || !('stack' in value)) return escapeControls(JSON.stringify(value) ?? '');
  const { stack, ...rest } = value;
  if (typeof stack === 'string') stacks.push(...(stack.match(/^ +at .*$/gm) ?? []).map(escapeControls));
  return escapeControls(JSON.stringify(rest));
}

/** Requests contain untrusted text, which must not control the terminal. */
const escapeControls = (text: string) =>
  text.replaceAll(
    /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

function redact(value: unknown, depthLeft: number): unknown {
  if (value instanceof Error) return describe(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depthLeft === 0) return '[deep]';
  if (Array.isArray(value)) return value.map((item) => redact(item, depthLeft - 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, privateName.test(name) ? '[redacted]' : redact(inner, depthLeft - 1)]),
  );
}

/** Only the message, code and stack of an error: other libraries attach whole requests and rows to theirs. */
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
