import { buildRequest, UnusableArgument } from './build-request.ts';
import { startDeadline } from './deadline.ts';
import type { Operation } from './operation.ts';
import { readAnswer } from './read-answer.ts';
import type { Answered, Refused } from './result.ts';

export interface Service {
  /** Without a slash at its end. */
  baseUrl: string;
  apiKey: string;
  fetch: typeof fetch;
  timeoutMs: number | undefined;
}

/** Sends one operation, and tells whatever happens as a result: nothing that goes wrong is thrown. */
export async function send(service: Service, operation: Operation, given: readonly unknown[]): Promise<Answered<unknown> | Refused> {
  try {
    return await exchange(service, operation, given);
  } catch (error) {
    if (error instanceof UnusableArgument) return refused('invalid_request', error.message, error.field);
    return refused('invalid_request', `No request can be made of these arguments: ${causeOf(error)}.`);
  }
}

async function exchange(service: Service, operation: Operation, given: readonly unknown[]) {
  const { method, path, search, body, waitMs, options } = buildRequest(operation, given);
  const deadline = startDeadline({ ...options, timeoutMs: options.timeoutMs ?? service.timeoutMs }, waitMs);
  const address = `${service.baseUrl}${path}`;
  try {
    const response = await service.fetch(`${address}${search}`, {
      method,
      headers: {
        accept: 'application/json',
        authorization: `Api-Key ${service.apiKey}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
      redirect: 'manual',
      signal: deadline.signal,
    });
    return await readAnswer(response, address);
  } catch (error) {
    const reason = deadline.reason();
    if (reason === 'aborted') return refused('aborted', `The call to ${address} was ended by the signal that was given with it.`);
    if (reason === 'timeout')
      return refused(
        'unreachable',
        `${address} did not answer within ${deadline.totalMs / 1000} s: check that Rollcall is well, or give it longer, for example { timeoutMs: 60000 }.`,
      );
    return refused(
      'unreachable',
      `${address} gave no answer (${causeOf(error)}): check that Rollcall runs there and that baseUrl is its address, for example http://127.0.0.1:5225.`,
    );
  } finally {
    deadline.end();
  }
}

const refused = (code: string, message: string, field?: string): Refused => ({
  data: null,
  error: { code, message, ...(field && { field }) },
  status: 0,
});

/** The innermost cause: fetch's own error says only that it failed. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return causeOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
