import { buildRequest, InvalidArgument } from './build-request.ts';
import type { Operation } from './operation.ts';
import type { CallOptions, ClientError, Failure, Success } from './result.ts';

export interface Service {
  /** It does not end with a slash. */
  baseUrl: string;
  /** Undefined for the console, which has the cookie of a session. */
  apiKey: string | undefined;
  fetch: typeof fetch;
  timeoutMs: number | undefined;
}

/** Sends one request. Every failure is returned, and nothing is thrown. */
export async function send(service: Service, operation: Operation, args: readonly unknown[]): Promise<Success<unknown> | Failure> {
  try {
    return await exchange(service, operation, args);
  } catch (error) {
    if (error instanceof InvalidArgument) return failed('invalid_request', error.message, error.field);
    return failed('invalid_request', `The arguments do not make a valid request: ${causeOf(error)}.`);
  }
}

async function exchange(service: Service, operation: Operation, args: readonly unknown[]) {
  const { method, path, search, body, waitMs, options } = buildRequest(operation, args);
  const deadline = startDeadline({ ...options, timeoutMs: options.timeoutMs ?? service.timeoutMs }, waitMs);
  const address = `${service.baseUrl}${path}`;
  try {
    const response = await service.fetch(`${address}${search}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(service.apiKey !== undefined && { authorization: `Api-Key ${service.apiKey}` }),
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

const failed = (code: string, message: string, field?: string): Failure => ({
  data: null,
  error: { code, message, ...(field && { field }) },
  status: 0,
});

/** Describes the innermost cause: fetch's own error says only that it failed. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return causeOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

/** JavaScript timers cannot be longer: such a timeout never ends. */
const longestTimerMs = 2_147_483_647;

interface Deadline {
  signal: AbortSignal;
  totalMs: number;
  /** Why the signal was aborted, if it was. */
  reason(): 'aborted' | 'timeout' | undefined;
  /** Removes the listener from the caller's signal, which may outlive many calls. */
  end(): void;
}

/** Combines the caller's signal and the timeout. */
function startDeadline({ signal, timeoutMs = 30_000 }: CallOptions, waitMs: number): Deadline {
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0))
    throw new InvalidArgument('timeoutMs', 'timeoutMs must be a number above 0, for example 30000.');
  if (signal && typeof signal.addEventListener !== 'function')
    throw new InvalidArgument('signal', 'signal must be an AbortSignal, for example that of a new AbortController().');
  const controller = new AbortController();
  const abort = () => controller.abort();
  const totalMs = timeoutMs + waitMs;
  let hasTimedOut = false;
  const timer =
    totalMs <= longestTimerMs
      ? setTimeout(() => {
          hasTimedOut = true;
          abort();
        }, totalMs)
      : undefined;
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    totalMs,
    reason: () => (signal?.aborted ? 'aborted' : hasTimedOut ? 'timeout' : undefined),
    end() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    },
  };
}

/** Reads the envelope. A response without one is not from the service. */
async function readResponse(response: Response, address: string): Promise<Success<unknown> | Failure> {
  const { status } = response;
  const location = response.headers.get('location');
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    await response.body?.cancel();
    return unreadable(status, redirected(address, location));
  }

  const envelope = parse(await response.text());
  if (isError(envelope?.['error'])) return { data: null, error: { ...envelope['error'], ...hintsOf(response.headers) }, status };
  if (response.ok && envelope && 'data' in envelope) return { ...envelope, data: envelope['data'], error: null, status };
  return unreadable(
    status,
    `${address} responded with ${status} and something that is not Rollcall's (${response.headers.get('content-type') ?? 'no content type'}): ` +
      'check that baseUrl is the address of Rollcall, for example http://127.0.0.1:5225, and what a proxy in front of it does.',
  );
}

const unreadable = (status: number, message: string): Failure => ({
  data: null,
  error: { code: 'invalid_response', message },
  status,
});

// A redirect is not followed: it would turn a POST into a GET.
const redirected = (address: string, location: string | null) =>
  `${address} redirects to ${location ?? 'another address'}: set baseUrl to the final address, for example https://rollcall.example.`;

export function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const isError = (value: unknown): value is ClientError =>
  isObject(value) && typeof value['code'] === 'string' && typeof value['message'] === 'string';

export function hintsOf(headers: Headers): Pick<ClientError, 'retryAfterSeconds' | 'requestId'> {
  const retryAfterSeconds = readRetryAfter(headers.get('retry-after'));
  const requestId = headers.get('x-request-id');
  return { ...(retryAfterSeconds !== undefined && { retryAfterSeconds }), ...(requestId && { requestId }) };
}

/** Seconds, or a date (RFC 9110, section 10.2.3). */
function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}
