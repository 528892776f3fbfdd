import type { ClientError, Result } from '../client/index.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { CommandError } from './failures.ts';
import type { ExampleFor } from './fitting-example.ts';

/** What is needed to tell a refusal in the words of whoever typed the command. */
export interface Asked {
  /** Of the command: `--webhook-url` stands for the field `webhook_url`. */
  flags: string[];
  keyFrom: string;
  exampleFor: ExampleFor;
}

/** The data of an answer; an error ends the command, with a sentence and the exit code that belongs to it. */
export type Ask = <Data, More>(answer: Promise<Result<Data, More>>) => Promise<Data>;

export function createAsk(asked: Asked): Ask {
  return async (answer) => {
    const { data, error } = await answer;
    if (error) throw explainRefusal(error, asked);
    return data;
  };
}

const byCode: Record<string, ExitCode> = {
  unauthorized: exitCodes.notAuthorised,
  forbidden: exitCodes.notAuthorised,
  not_found: exitCodes.notFound,
  unreachable: exitCodes.tryAgain,
  // A proxy before a service that is away, say.
  unreadable_answer: exitCodes.tryAgain,
  unavailable: exitCodes.tryAgain,
  rate_limited: exitCodes.tryAgain,
};

export function explainRefusal(error: ClientError, { flags, keyFrom, exampleFor }: Asked): CommandError {
  const flag = flagOf(error.field, flags);
  if (error.code === 'invalid_request' && flag !== undefined)
    return new CommandError(exitCodes.mistyped, `${withFlag(error.message, error.field!, flag)} Example: ${exampleFor(flag)}`, error.field);
  const code = byCode[error.code] ?? exitCodes.failed;
  if (error.code === 'unreachable')
    return new CommandError(
      code,
      `${error.message.replace(/: check that .*$/s, '').replace(/(\/api\/v1|\/health)\/\S*/, '')}: start the service, or give its address. Example: --url http://127.0.0.1:5225`,
    );
  if (code === exitCodes.notAuthorised)
    return new CommandError(
      code,
      `The service does not take the API key from ${keyFrom}: give the right one. Example: --api-key-file .rollcall/api-key`,
    );
  const when =
    error.retryAfterSeconds === undefined || error.message.includes('Try again in ') ? '' : ` Try again in ${error.retryAfterSeconds} s.`;
  const where = error.requestId === undefined || error.code !== 'internal' ? '' : ` Its log says more, under ${error.requestId}.`;
  return new CommandError(code, `${error.message.replace('as baseUrl', 'as --url')}${when}${where}`, error.field);
}

/** Fields that have another name as an option. */
const others: Record<string, string> = {
  directoryId: '--directory',
  directory_id: '--directory',
  events: '--types',
  range_start: '--since',
  range_end: '--until',
  overlap_seconds: '--overlap',
  pageLimit: '--limit',
  pageOffset: '--offset',
};

function flagOf(field: string | undefined, flags: string[]): string | undefined {
  if (field === undefined) return undefined;
  const flag = others[field] ?? `--${field.replaceAll('_', '-')}`;
  return flags.includes(flag) ? flag : undefined;
}

const withFlag = (message: string, field: string, flag: string) => message.replace(new RegExp(`^${field.replaceAll('.', '\\.')}\\b`), flag);
