import { buildRequest, InvalidArgument } from './build-request.ts';
import { startDeadline } from './deadline.ts';
import type { Operation } from './operation.ts';
import { readResponse } from './read-response.ts';
import type { Answered, Refused } from './result.ts';

export interface Service {
  /** Without a slash at the end. */
  baseUrl: string;
  apiKey: string;
  fetch: typeof fetch;
  timeoutMs: number | undefined;
}

/** Sends one request. Every failure is returned, and nothing is thrown. */
export async function send(service: Service, operation: Operation, given: readonly unknown[]): Promise<Answered<unknown> | Refused> {
  try {
    return await exchange(service, operation, given);
  } catch (error) {
    if (error instanceof InvalidArgument) return failed('invalid_request', error.message, error.field);
    return failed('invalid_request', `The arguments do not make a valid request: ${causeOf(error)}.`);
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
    return await readResponse(response, address);
  } catch (error) {
    const reason = deadline.reason();
    if (reason === 'aborted') return failed('aborted', `The call to ${address} was aborted by its signal.`);
    if (reason === 'timeout')
      return failed(
        'unreachable',
        `${address} did not respond within ${deadline.totalMs / 1000} s: check that Rollcall is healthy, or set a longer timeout, for example { timeoutMs: 60000 }.`,
      );
    return failed(
      'unreachable',
      `${address} did not respond (${causeOf(error)}): check that Rollcall is running there and that baseUrl is its address, for example http://127.0.0.1:5225.`,
    );
  } finally {
    deadline.end();
  }
}

const failed = (code: string, message: string, field?: string): Refused => ({
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
