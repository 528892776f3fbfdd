import { AppError, StartupError } from '../errors.ts';
import type { ClientError, Result } from '../client/index.ts';
import type { ExampleFor } from './options.ts';

/** The command line itself is invalid. The message names the argument and shows an example. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command failed. The message is a sentence for the person at the terminal. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;
  /** The API field at fault, if there is one. */
  readonly field: string | undefined;

  constructor(exitCode: ExitCode, message: string, field?: string) {
    super(message);
    this.exitCode = exitCode;
    this.field = field;
  }
}

/** The sentence of an expected error; any other error unchanged. */
export function describeError(error: unknown): unknown {
  if (error instanceof StartupError) return error.message;
  if (error instanceof AppError && error.code === 'unavailable')
    return `Lost the connection to Postgres during startup (${reasonOf(error.cause)}). Nothing is lost; start again to continue.`;
  return error;
}

/** knex puts the statement before the reason. */
const reasonOf = (cause: unknown) => (cause instanceof Error ? cause.message.split(' - ').at(-1) : String(cause));

/** Scripts rely on these. */
export const exitCodes = {
  success: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  unauthorized: 4,
  unavailable: 5,
  unhealthy: 6,
  confirmationRequired: 7,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const meanings: Record<keyof typeof exitCodes, string> = {
  success: 'Success. Also if you stop `events tail` or `audit tail` with Ctrl-C.',
  failed: 'The command failed; the message says why. Also if a replay or sync that the command waited for failed.',
  usage: 'Usage error: a command, argument or option is missing, unknown or invalid. Nothing was changed.',
  notFound: 'The resource does not exist.',
  unauthorized: 'The API key is missing or invalid, or lacks a right.',
  unavailable: 'The service is unreachable or busy. The same command may succeed later.',
  unhealthy:
    '`doctor` found a problem, `keys rewrap` found an older key that is still in use, or `audit verify` found an entry that does not fit.',
  confirmationRequired:
    'Confirmation required: `directories delete` and `users erase` need `--yes`, `sync`, a change of `--inactive-users` and a deletion with events need `--confirm`, `listen` needs `--replace-webhook`, `backup` needs `--without-keys`.',
};

export const exitCodesText = [
  'Exit codes:',
  '',
  ...Object.entries(exitCodes).map(([name, code]) => `  ${code}  ${meanings[name as keyof typeof exitCodes]}`),
].join('\n');

/** What is needed to explain an API error in terms of the command that was typed. */
export interface ErrorContext {
  /** The options of the command: `--webhook-url` sets the field `webhook_url`. */
  flags: string[];
  baseUrl: string;
  /** Where the API key was found. */
  keySource: string;
  exampleFor: ExampleFor;
}

/** Returns the data of a response; throws a `CommandError` for an error response. */
export type Unwrap = <Data, More>(response: Promise<Result<Data, More>>) => Promise<Data>;

export function createUnwrap(context: ErrorContext): Unwrap {
  return async (response) => {
    const { data, error } = await response;
    if (error) throw toCommandError(error, context);
    return data;
  };
}

/** The message says what is wrong with the key. */
const keyErrors = ['key_malformed', 'key_expired', 'key_revoked', 'key_network', 'key_narrowed', 'insufficient_scope'];

const codes: Record<string, ExitCode> = {
  unauthorized: exitCodes.unauthorized,
  forbidden: exitCodes.unauthorized,
  ...Object.fromEntries(keyErrors.map((code) => [code, exitCodes.unauthorized])),
  not_found: exitCodes.notFound,
  confirmation_required: exitCodes.confirmationRequired,
  unreachable: exitCodes.unavailable,
  // A proxy in front of a service that is down.
  invalid_response: exitCodes.unavailable,
  unavailable: exitCodes.unavailable,
  rate_limited: exitCodes.unavailable,
};

export function toCommandError(error: ClientError, { flags, baseUrl, keySource, exampleFor }: ErrorContext): CommandError {
  const flag = flagOf(error.field, flags);
  if (error.code === 'invalid_request' && flag !== undefined)
    return new CommandError(exitCodes.usage, `${withFlag(error.message, error.field!, flag)} Example: ${exampleFor(flag)}`, error.field);
  const code = codes[error.code] ?? exitCodes.failed;
  if (error.code === 'unreachable')
    return new CommandError(
      code,
      `${noResponseFrom(baseUrl, error)}. Start the service, or pass its URL. Example: --url http://127.0.0.1:5225`,
    );
  if (keyErrors.includes(error.code)) return new CommandError(code, `${error.message} The API key is from ${keySource}.`, error.field);
  if (code === exitCodes.unauthorized)
    return new CommandError(
      code,
      `The service rejected the API key from ${keySource}. Pass a valid key. Example: --api-key-file .rollcall/api-key`,
    );
  const when =
    error.retryAfterSeconds === undefined || /try again in /i.test(error.message) ? '' : ` Try again in ${error.retryAfterSeconds} s.`;
  const where = error.requestId === undefined || error.code !== 'internal' ? '' : ` The service's log has more, under ${error.requestId}.`;
  const message = error.message.replaceAll('baseUrl', '--url').replace(/"confirm": (\d+)/, '--confirm $1');
  return new CommandError(code, `${message}${when}${where}`, error.field);
}

/** The client's message gives advice for programmers; only the time limit and the cause in parentheses are kept. */
export function noResponseFrom(baseUrl: string, { message }: Pick<ClientError, 'message'>): string {
  const limit = / within [\d.]+ s\b/.exec(message)?.[0] ?? '';
  const cause = / \([^()]+\)/.exec(message)?.[0] ?? '';
  return `No response from ${baseUrl}${limit}${cause}`;
}

/** Fields whose option has another name. */
const otherFlags: Record<string, string> = {
  directoryId: '--directory',
  directory_id: '--directory',
  events: '--types',
  action: '--actions',
  range_start: '--since',
  range_end: '--until',
  overlap_seconds: '--overlap',
  from_sequence: '--from',
  to_sequence: '--to',
  delivery_id: '--delivery',
  pageLimit: '--limit',
  pageOffset: '--offset',
};

function flagOf(field: string | undefined, flags: string[]): string | undefined {
  if (field === undefined) return undefined;
  const flag = otherFlags[field] ?? `--${field.replaceAll('_', '-')}`;
  return flags.includes(flag) ? flag : undefined;
}

const withFlag = (message: string, field: string, flag: string) => message.replace(new RegExp(`^${field.replaceAll('.', '\\.')}\\b`), flag);
