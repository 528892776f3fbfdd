import type { Success, ClientError, Failure } from './result.ts';

/** Reads the envelope. A response without one is not from the service. */
export async function readResponse(response: Response, address: string): Promise<Success<unknown> | Failure> {
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

function parse(text: string): Record<string, unknown> | undefined {
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

function hintsOf(headers: Headers): Pick<ClientError, 'retryAfterSeconds' | 'requestId'> {
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
