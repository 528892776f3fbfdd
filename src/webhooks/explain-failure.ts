import { STATUS_CODES } from 'node:http';
import type { SendOutcome } from '../directory/delivery/exchange.ts';
import { BlockedAddressError } from './guard.ts';
import type { WebhookResponse, PostResult } from './post.ts';

export interface ExplainedFailure {
  outcome: SendOutcome;
  error: string;
}

const stopped = 'The worker was stopped during the exchange; it is made again.';
const longestText = 500;

/** In words for whoever runs the receiver, or has written its address down. */
export function explainFailure(
  { end, address, response: answer }: PostResult,
  { url, timeoutMs }: { url: URL; timeoutMs: number },
): ExplainedFailure {
  const { host } = url;
  if (end === 'aborted') return { outcome: 'aborted', error: stopped };
  // A refusal is one without its last byte, too.
  if (answer && !isSuccess(answer)) return { outcome: 'http_error', error: explainResponse(answer, url) };
  if (end === 'timeout') return { outcome: 'timeout', error: explainTimeout() };
  const { outcome, error } = explainError(end as Error, url, answer);
  return { outcome, error: error.replaceAll('\0', '').toWellFormed().slice(0, longestText) };

  function explainTimeout(): string {
    if (answer) return `${host} answered ${answer.statusCode}, but its answer did not end within ${timeoutMs} ms.`;
    return address === undefined
      ? `No connection to ${host} was made within ${timeoutMs} ms.`
      : `${host} took the webhook, but did not answer within ${timeoutMs} ms.`;
  }
}

export const isSuccess = ({ statusCode }: WebhookResponse) => statusCode >= 200 && statusCode < 300;

function explainResponse({ statusCode, headers }: WebhookResponse, url: URL): string {
  const name = STATUS_CODES[statusCode];
  const status = name ? `${statusCode} (${name})` : String(statusCode);
  const location = statusCode < 400 ? readLocation(headers['location'], url) : undefined;
  return location
    ? `${url.host} answered ${status} and points to ${location}. Redirects are not followed: if that is the place, make it the webhook address.`
    : `${url.host} answered ${status}.`;
}

/** Without what may be secret in it. */
function readLocation(header: string | string[] | undefined, url: URL): string | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined || !URL.canParse(text, url.href)) return undefined;
  const { protocol, host, pathname } = new URL(text, url.href);
  return `${protocol}//${host}${pathname}`.slice(0, longestText);
}

type Kind = [code: RegExp, outcome: SendOutcome, error: (url: URL, message: string, answer: WebhookResponse | undefined) => string];

/** The first whose form the error's code has, or its name where it has none. */
const kinds: Kind[] = [
  [/^UND_ERR_(CLOSED|DESTROYED)$/, 'aborted', () => stopped],
  [
    /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/,
    'timeout',
    ({ host }) => `No connection to ${host} came about in time: a firewall may drop it.`,
  ],
  [/^ENOTFOUND$/, 'dns', ({ hostname }) => `The name ${hostname} is not known to the name servers.`],
  [/^(EAI_|ENODATA|ESERVFAIL)/, 'dns', ({ hostname }) => `The name servers gave no answer for ${hostname}.`],
  [/SELF_SIGNED/, 'tls', ({ host }) => `The certificate of ${host} is not from a public authority: it, or one above it, is self-signed.`],
  [
    /^(UNABLE_TO_|CERT_UNTRUSTED)/,
    'tls',
    ({ host }) => `The certificate of ${host} can't be traced to a public authority: its intermediate certificates may be missing.`,
  ],
  [/^CERT_HAS_EXPIRED$/, 'tls', ({ host }) => `The certificate of ${host} has expired.`],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'tls', ({ host }) => `The certificate of ${host} is for another name.`],
  [
    /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/,
    'tls',
    ({ host }) => `${host} does not speak TLS: it may be that its address begins with http, not https.`,
  ],
  [/^(CERT_|CRL_|ERR_TLS_|ERR_SSL_|EPROTO)/, 'tls', ({ host }, message) => `No TLS connection to ${host} came about: ${message}`],
  [/^ECONNREFUSED$/, 'connect', ({ host }) => `${host} refused the connection: nothing listens there, or a firewall is in the way.`],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'connect', ({ host }) => `There is no way from here to ${host}.`],
  [/^HTTPParserError: .*EOF|^UND_ERR_(SOCKET|RES_CONTENT_LENGTH_MISMATCH)$|^(ECONNRESET|EPIPE|ECONNABORTED)$/, 'connect', explainReset],
  [
    /^HTTPParserError/,
    'http_error',
    ({ host }) => `What ${host} answered is not HTTP/1.1: it may be that its address begins with https, not http.`,
  ],
  [/^TOO_MUCH_READ$/, 'http_error', ({ host }) => `${host} sent half a megabyte and more that is no part of an answer.`],
  [/^TOO_MANY_INTERIM_ANSWERS$/, 'http_error', ({ host }) => `${host} sent one interim answer (1xx) after another instead of its answer.`],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'http_error', ({ host }) => `The headers that ${host} answered are too long.`],
];

const fallbackKind: Kind = [/^/, 'connect', ({ host }, message) => `The exchange with ${host} failed: ${message}`];

function explainError(error: Error, url: URL, answer: WebhookResponse | undefined): ExplainedFailure {
  if (error instanceof BlockedAddressError) return { outcome: 'blocked', error: error.message };
  const code = readCode(error);
  const [, outcome, explain] = kinds.find(([form]) => form.test(code)) ?? fallbackKind;
  return { outcome, error: explain(url, error.message, answer) };
}

/** undici's parser has names for its errors, but leaves them out. */
function readCode({ code, name, message }: Error & { code?: string }): string {
  return code ?? `${name}: ${message}`;
}

const unsecured = /before secure TLS connection/;

function explainReset({ host }: URL, message: string, answer: WebhookResponse | undefined): string {
  if (answer) return `${host} answered ${answer.statusCode}, but closed the connection before its answer was complete.`;
  if (unsecured.test(message)) return `${host} closed the connection instead of agreeing on TLS.`;
  return `${host} closed the connection without an answer.`;
}
