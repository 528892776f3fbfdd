import { STATUS_CODES } from 'node:http';
import { BlockedAddressError } from './address-guard.ts';
import type { WebhookResponse, PostResult } from './http-post.ts';
import type { SendOutcome } from '../directory/delivery/ports.ts';

interface ExplainedFailure {
  outcome: SendOutcome;
  error: string;
}

const stopped = 'The worker stopped during the attempt; the attempt is repeated.';
const longestText = 500;

/** Describes a failure for the operator of the receiver and the person who configured its address. */
export function explainFailure(
  { end, address, response }: PostResult,
  { url, timeoutMs }: { url: URL; timeoutMs: number },
): ExplainedFailure {
  const { host } = url;
  if (end === 'aborted') return { outcome: 'aborted', error: stopped };
  // An error status counts even if its body is incomplete.
  if (response && !isSuccess(response)) return { outcome: 'http_error', error: explainResponse(response, url) };
  if (end === 'timeout') return { outcome: 'timeout', error: explainTimeout() };
  const { outcome, error } = explainError(end as Error, url, response);
  return { outcome, error: error.replaceAll('\0', '').toWellFormed().slice(0, longestText) };

  function explainTimeout(): string {
    if (response) return `${host} responded with ${response.statusCode}, but did not complete the response within ${timeoutMs} ms.`;
    return address === undefined
      ? `Could not connect to ${host} within ${timeoutMs} ms.`
      : `${host} accepted the request but did not respond within ${timeoutMs} ms.`;
  }
}

export const isSuccess = ({ statusCode }: WebhookResponse) => statusCode >= 200 && statusCode < 300;

function explainResponse({ statusCode, headers }: WebhookResponse, url: URL): string {
  const name = STATUS_CODES[statusCode];
  const status = name ? `${statusCode} (${name})` : String(statusCode);
  const location = statusCode < 400 ? readLocation(headers['location'], url) : undefined;
  return location
    ? `${url.host} responded with ${status}, a redirect to ${location}. Redirects are not followed: if this is the right address, set it as the webhook address.`
    : `${url.host} responded with ${status}.`;
}

/** Drops the parts that may contain secrets. */
function readLocation(header: string | string[] | undefined, url: URL): string | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined || !URL.canParse(text, url.href)) return undefined;
  const { protocol, host, pathname } = new URL(text, url.href);
  return `${protocol}//${host}${pathname}`.slice(0, longestText);
}

type Kind = [code: RegExp, outcome: SendOutcome, error: (url: URL, message: string, response: WebhookResponse | undefined) => string];

/** The first entry that matches the error's code applies, or its name if it has no code. */
const kinds: Kind[] = [
  [/^UND_ERR_(CLOSED|DESTROYED)$/, 'aborted', () => stopped],
  [
    /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/,
    'timeout',
    ({ host }) => `Connecting to ${host} timed out: a firewall may drop the connection.`,
  ],
  [/^ENOTFOUND$/, 'dns', ({ hostname }) => `DNS has no record for ${hostname}.`],
  [/^(EAI_|ENODATA|ESERVFAIL)/, 'dns', ({ hostname }) => `DNS lookup of ${hostname} failed: the name servers did not respond.`],
  [
    /SELF_SIGNED/,
    'tls',
    ({ host }) => `The certificate chain of ${host} contains a self-signed certificate, so no public authority has signed it.`,
  ],
  [
    /^(UNABLE_TO_|CERT_UNTRUSTED)/,
    'tls',
    ({ host }) => `The certificate of ${host} could not be verified: its intermediate certificates may be missing.`,
  ],
  [/^CERT_HAS_EXPIRED$/, 'tls', ({ host }) => `The certificate of ${host} has expired.`],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'tls', ({ host }) => `The certificate of ${host} is for another name.`],
  [
    /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/,
    'tls',
    ({ host }) => `${host} does not speak TLS: the address may have to start with http instead of https.`,
  ],
  [/^LONG_HANDSHAKE$/, 'tls', ({ host }) => `The TLS handshake of ${host} is longer than 24 KiB: its certificate chain is too long.`],
  [/^TOO_MUCH_OVERHEAD$/, 'tls', ({ host }) => `${host} sent too many TLS records without data.`],
  [/^(CERT_|CRL_|ERR_TLS_|ERR_SSL_|EPROTO)/, 'tls', ({ host }, message) => `The TLS connection to ${host} failed: ${message}`],
  [/^ECONNREFUSED$/, 'connect', ({ host }) => `${host} refused the connection: nothing listens there, or a firewall blocks it.`],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'connect', ({ host }) => `There is no route to ${host}.`],
  [/^HTTPParserError: .*EOF|^UND_ERR_(SOCKET|RES_CONTENT_LENGTH_MISMATCH)$|^(ECONNRESET|EPIPE|ECONNABORTED)$/, 'connect', explainReset],
  [
    /^(HTTPParserError|ERR_ASSERTION)/,
    'http_error',
    ({ host }) => `${host} did not respond with HTTP/1.1: the address may have to start with https instead of http.`,
  ],
  [/^TOO_MUCH_READ$/, 'http_error', ({ host }) => `${host} sent more than 512 KiB for one response.`],
  [/^TOO_MANY_INTERIM_RESPONSES$/, 'http_error', ({ host }) => `${host} sent too many interim responses (1xx).`],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'http_error', ({ host }) => `The response headers of ${host} are too long.`],
];

const fallbackKind: Kind = [/^/, 'connect', ({ host }, message) => `The request to ${host} failed: ${message}`];

function explainError(error: Error, url: URL, response: WebhookResponse | undefined): ExplainedFailure {
  if (error instanceof BlockedAddressError) return { outcome: 'blocked', error: error.message };
  const code = readCode(error);
  const [, outcome, explain] = kinds.find(([form]) => form.test(code)) ?? fallbackKind;
  return { outcome, error: explain(url, error.message, response) };
}

/** undici's parser errors have a name but no code. */
function readCode({ code, name, message }: Error & { code?: string }): string {
  return code ?? `${name}: ${message}`;
}

const unsecured = /before secure TLS connection/;

function explainReset({ host }: URL, message: string, response: WebhookResponse | undefined): string {
  if (response) return `${host} responded with ${response.statusCode}, but closed the connection before the response was complete.`;
  if (unsecured.test(message)) return `${host} closed the connection during the TLS handshake.`;
  return `${host} closed the connection without a response.`;
}
