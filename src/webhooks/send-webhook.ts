import { StringDecoder } from 'node:string_decoder';
import type { Dispatcher } from 'undici';
import { explainFailure, isSuccess } from './explain-failure.ts';
import { findUrlFormProblem } from './address-guard.ts';
import { createLegacySignatureHeaders, createSignatureHeaders } from './sign.ts';
import { httpPost, type PostResult, type WebhookResponse } from './http-post.ts';
import { readRetryAfter } from '../shared/retry-after.ts';
import { findQuerySecrets } from '../directory/delivery/webhook-settings.ts';
import type { AttemptDetails, SendRequest, SendResult, SendWebhook } from '../directory/delivery/ports.ts';

const maxRetryAfterMs = 366 * 24 * 3_600_000;

interface SenderOptions {
  dispatcher: Dispatcher;
  /** Whether webhooks carry signatures as Polis sends them, unless a request says otherwise. */
  legacySignatures: boolean;
  now?: () => number;
}

/** Sends one POST. Only 2xx is a success, redirects are not followed, and every failure is a result, never an exception. */
export function createSendWebhook({ dispatcher, legacySignatures, now = Date.now }: SenderOptions): SendWebhook {
  return async function send(request, options) {
    const url = URL.canParse(request.url) ? new URL(request.url) : undefined;
    const problem = url ? findUrlFormProblem(url) : 'is invalid.';
    if (!url || problem) return createBlockedResult(`The webhook address ${problem}`);

    const body = Buffer.from(request.body);
    const { headers, audited } = toHeaders({ ...request, legacySignatures: request.legacySignatures ?? legacySignatures }, body, now());
    const posted = await httpPost({ dispatcher, url, headers, body }, options);
    const redactQuery = createQueryRedactor(url);
    const details = toAttempt(posted, audited, redactQuery);
    const { end, response } = posted;
    const status = response && { statusCode: response.statusCode };
    if (end === 'completed' && response && isSuccess(response)) return { outcome: 'success', ...status, details };
    const retryAfterMs = readDelay(response?.headers['retry-after'], now());
    const explained = explainFailure(posted, { url, timeoutMs: options.timeoutMs });
    return { ...explained, error: redactQuery(explained.error), ...status, ...(retryAfterMs !== undefined && { retryAfterMs }), details };
  };
}

/** A date in the past is ignored. */
function readDelay(header: string | string[] | undefined, nowMs: number): number | undefined {
  const waitMs = readRetryAfter([header].flat()[0], nowMs);
  return waitMs !== undefined && waitMs >= 0 ? Math.min(waitMs, maxRetryAfterMs) : undefined;
}

const createBlockedResult = (error: string): SendResult => ({
  outcome: 'blocked',
  error,
  details: { requestHeaders: {}, timings: { totalMs: 0 } },
});

/** Ours come last: configured headers cannot replace them. */
function toHeaders({ id, secrets, legacySignatures, headers: added = {} }: SendRequest, body: Buffer, atMs: number) {
  const keys = secrets.map(({ secret }) => secret);
  const signatures = {
    ...createSignatureHeaders({ id, body, secrets: keys, atMs }),
    ...(legacySignatures && createLegacySignatureHeaders({ body, secrets: keys, atMs })),
  };
  const plain = { 'content-type': 'application/json', 'user-agent': 'Rollcall-Webhooks/1' };
  const more = Object.fromEntries(Object.entries(added).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    headers: { ...more, ...plain, ...signatures },
    audited: { ...redactHeaders(more), ...plain, ...redactSignatures(signatures) },
  };
}

function toAttempt(
  { address, response, timings }: PostResult,
  requestHeaders: Record<string, string>,
  redactQuery: (text: string) => string,
): AttemptDetails {
  const { dnsMs, connectMs, firstByteMs, totalMs } = timings;
  return {
    ...(address !== undefined && { address }),
    requestHeaders,
    ...(response && {
      responseHeaders: mapValues(redactHeaders(response.headers), redactQuery),
      responseBody: redactQuery(readText(response)),
      responseTruncated: response.truncated,
    }),
    timings: {
      ...(dnsMs !== undefined && { dnsMs: Math.round(dnsMs) }),
      ...(connectMs !== undefined && { connectMs: Math.round(connectMs) }),
      ...(firstByteMs !== undefined && { firstByteMs: Math.round(firstByteMs) }),
      totalMs: Math.round(totalMs),
    },
  };
}

const mapValues = (record: Record<string, string>, map: (value: string) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));

/** Text as Postgres stores it: valid, without NUL, and without a character that was cut in half. */
function readText({ body, truncated }: Pick<WebhookResponse, 'body' | 'truncated'>): string {
  const text = truncated ? new StringDecoder('utf8').write(body) : body.toString();
  return text.replaceAll('\0', '\uFFFD');
}

const maxHeaders = 64;
const maxBytes = 8_192;
const maxValueLength = 1_024;
const redacted = '[redacted]';

const secretName = /auth|cookie|token|secret|key|signature|session|credential|passw|jwt/i;
/** Challenges describe what a request lacked and contain no secrets. */
const challenges = new Set(['www-authenticate', 'proxy-authenticate']);
const parameter = /([?&#;]\s*)([^=&#?;\s]+)=([^&#?;,<>"\s]+)/g;
const userInfo = /\/\/[^/\s@]+@/g;
const secretValue = /(?<![\w-])(?:(?:bearer|basic)\s+\S+|eyJ[\w-]+\.[\w.-]+|(?:whsec|whsk|sk|pk|ghp)_\w{8,})/gi;

/** The response headers to keep in the delivery log: without secrets, and limited in size. */
function redactHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const kept: [string, string][] = [];
  let bytes = 0;
  for (const [name, given] of Object.entries(headers)) {
    if (given === undefined) continue;
    const value = redact(name, typeof given === 'string' ? given : given.join(', '));
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
    if (kept.length === maxHeaders || bytes > maxBytes) break;
    kept.push([name, value]);
  }
  return Object.fromEntries(kept);
}

function redact(name: string, value: string): string {
  const text = value.length > maxValueLength ? `${value.slice(0, maxValueLength)}…` : value;
  if (challenges.has(name)) return text;
  if (secretName.test(name)) return redacted;
  return text
    .replace(parameter, (whole, before: string, key: string) => (secretName.test(key) ? `${before}${key}=${redacted}` : whole))
    .replace(userInfo, `//${redacted}@`)
    .replace(secretValue, redacted);
}

/** Keeps the scheme and the time of signatures, which show what was signed and with how many secrets. */
function redactSignatures(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      name.endsWith('-signature') ? value.replace(/(v1,|,s=)\S+/g, `$1${redacted}`) : value,
    ]),
  );
}

/** Removes the query values of the webhook address from a response: some receivers repeat the request, or redirect with the same query. */
function createQueryRedactor(url: URL): (text: string) => string {
  const secrets = findQuerySecrets(url);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, redacted), text);
}
