import { afterEach, describe, expect, it } from '@jest/globals';
import { decideRetry } from '../../src/directory/delivery/decide-retry.ts';
import type { Attempt, SendResult } from '../../src/directory/delivery/ports.ts';
import { explainFailure } from '../../src/webhooks/explain-failure.ts';
import { findUrlProblem } from '../../src/webhooks/address-guard.ts';
import type { PostResult } from '../../src/webhooks/http-post.ts';
import { agentFor, closeOpened, endless, hostile, post, resolveNamesTo } from '../support/webhook-attempts.ts';

/** The errors that are recorded for a webhook attempt. Other tests compare the outcome. */

afterEach(closeOpened);

describe('a receiver that', () => {
  it.each<[string, string | undefined, string, string]>([
    ['resets the connection before the response', undefined, 'connect', '{host} closed the connection without a response.'],
    ['ends within the headers', 'HTTP/1.1 200 OK\r\nx-a: ', 'connect', '{host} closed the connection without a response.'],
    [
      'ends within the body',
      'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab',
      'connect',
      '{host} responded with 200, but closed the connection before the response was complete.',
    ],
    [
      'ends within a chunk',
      `${endless}5\r\nab`,
      'connect',
      '{host} responded with 200, but closed the connection before the response was complete.',
    ],
    [
      'ends within a chunk of its last response',
      endless.replace('\r\n', '\r\nconnection: close\r\n') + '5\r\nab',
      'connect',
      '{host} responded with 200, but closed the connection before the response was complete.',
    ],
    [
      'speaks something else',
      'SSH-2.0-OpenSSH_9.6\r\n',
      'http_error',
      '{host} did not respond with HTTP/1.1: the address may have to start with https instead of http.',
    ],
    [
      'has the status 000',
      'HTTP/1.1 000 x\r\ncontent-length: 0\r\n\r\n',
      'http_error',
      '{host} did not respond with HTTP/1.1: the address may have to start with https instead of http.',
    ],
    [
      'breaks its chunks',
      `${endless}zz\r\n`,
      'http_error',
      '{host} did not respond with HTTP/1.1: the address may have to start with https instead of http.',
    ],
    [
      'has headers without end',
      `HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(20_000)}`,
      'http_error',
      'The response headers of {host} are too long.',
    ],
    [
      'has NUL in a header',
      'HTTP/1.1 200 OK\r\nx-a: a\0b\r\ncontent-length: 0\r\n\r\n',
      'http_error',
      '{host} did not respond with HTTP/1.1: the address may have to start with https instead of http.',
    ],
    [
      'requests an upgrade',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      'connect',
      '{host} closed the connection without a response.',
    ],
    [
      'sends too many interim responses',
      'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100),
      'http_error',
      '{host} sent too many interim responses (1xx).',
    ],
    [
      'redirects',
      'HTTP/1.1 307 x\r\nlocation: https://user:pass@b.example/c?secret=1\r\ncontent-length: 0\r\n\r\n',
      'http_error',
      '{host} responded with 307 (Temporary Redirect), a redirect to https://b.example/c. Redirects are not followed: if this is the right address, set it as the webhook address.',
    ],
    ['redirects nowhere', 'HTTP/1.1 302 x\r\ncontent-length: 0\r\n\r\n', 'http_error', '{host} responded with 302 (Found).'],
    ['fails', 'HTTP/1.1 503 x\r\ncontent-length: 0\r\n\r\n', 'http_error', '{host} responded with 503 (Service Unavailable).'],
    ['fails with an unknown status', 'HTTP/1.1 599 x\r\ncontent-length: 0\r\n\r\n', 'http_error', '{host} responded with 599.'],
  ])('is reported with its message: %s', async (_what, bytes, error, message) => {
    const { url } = await hostile((socket) => {
      if (bytes === undefined) socket.resetAndDestroy();
      else socket.end(bytes, 'latin1');
    });
    const result = await post(url);
    expect([result.outcome, result.error?.replaceAll(new URL(url).host, '{host}')]).toEqual([error, message]);
  });
});

describe('an address that', () => {
  it.each([
    [
      'is private',
      'http://10.0.0.1/',
      'blocked',
      '10.0.0.1 is not a public address; set WEBHOOK_ALLOWED_NETWORKS to allow private networks.',
    ],
    [
      'resolves to a private address',
      'http://rebinding.example/',
      'blocked',
      'rebinding.example (127.0.0.2) is not a public address; set WEBHOOK_ALLOWED_NETWORKS to allow private networks.',
    ],
  ])('is reported with its message: %s', async (_what, url, error, message) => {
    const result = await post(url, { dispatcher: agentFor([], resolveNamesTo(['127.0.0.2'])) });
    expect([result.outcome, result.error]).toEqual([error, message]);
  });

  it.each([
    ['ftp://a.example/', 'is not an http or https address.'],
    ['https://user:pass@a.example/', 'must not contain a user name or a password.'],
    ['https://a.example/#here', 'has a fragment (#), which is never sent to a receiver.'],
    ['http://169.254.169.254/', 'is not a public address; set WEBHOOK_ALLOWED_NETWORKS to allow private networks.'],
  ])('cannot be set if it %s', (url, message) => {
    expect(findUrlProblem(new URL(url), [])).toBe(message);
  });
});

const url = new URL('https://a.example:8443/hook');
const explain = (result: Partial<PostResult>) => explainFailure(result as PostResult, { url, timeoutMs: 15_000 });

describe('a connection that fails with', () => {
  it.each([
    ['UND_ERR_CLOSED', 'aborted', 'The worker stopped during the attempt; the attempt is repeated.'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout', 'Connecting to a.example:8443 timed out: a firewall may drop the connection.'],
    ['ENOTFOUND', 'dns', 'DNS has no record for a.example.'],
    ['EAI_AGAIN', 'dns', 'DNS lookup of a.example failed: the name servers did not respond.'],
    [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'tls',
      'The certificate chain of a.example:8443 contains a self-signed certificate, so no public authority has signed it.',
    ],
    [
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'tls',
      'The certificate of a.example:8443 could not be verified: its intermediate certificates may be missing.',
    ],
    ['CERT_HAS_EXPIRED', 'tls', 'The certificate of a.example:8443 has expired.'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', 'The certificate of a.example:8443 is for another name.'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls', 'a.example:8443 does not speak TLS: the address may have to start with http instead of https.'],
    ['LONG_HANDSHAKE', 'tls', 'The TLS handshake of a.example:8443 is longer than 24 KiB: its certificate chain is too long.'],
    ['TOO_MUCH_OVERHEAD', 'tls', 'a.example:8443 sent too many TLS records without data.'],
    ['CERT_REVOKED', 'tls', 'The TLS connection to a.example:8443 failed: the reason'],
    ['ECONNREFUSED', 'connect', 'a.example:8443 refused the connection: nothing listens there, or a firewall blocks it.'],
    ['EHOSTUNREACH', 'connect', 'There is no route to a.example:8443.'],
    ['ECONNRESET', 'connect', 'a.example:8443 closed the connection without a response.'],
    ['TOO_MUCH_READ', 'http_error', 'a.example:8443 sent more than 512 KiB for one response.'],
    ['TOO_MANY_INTERIM_RESPONSES', 'http_error', 'a.example:8443 sent too many interim responses (1xx).'],
    ['UND_ERR_HEADERS_OVERFLOW', 'http_error', 'The response headers of a.example:8443 are too long.'],
    ['SOMETHING_ELSE', 'connect', 'The request to a.example:8443 failed: the reason'],
  ])('is reported with its message: %s', (code, error, message) => {
    const failure = explain({ end: Object.assign(new Error('the reason'), { code }) });
    expect([failure.outcome, failure.error]).toEqual([error, message]);
  });
});

describe('an attempt that', () => {
  it.each([
    ['ends with its worker', { end: 'aborted' }, 'aborted', 'The worker stopped during the attempt; the attempt is repeated.'],
    ['does not connect in time', { end: 'timeout' }, 'timeout', 'Could not connect to a.example:8443 within 15000 ms.'],
    [
      'gets no response in time',
      { end: 'timeout', address: '192.0.2.1' },
      'timeout',
      'a.example:8443 accepted the request but did not respond within 15000 ms.',
    ],
    [
      'gets half a response in time',
      { end: 'timeout', address: '192.0.2.1', response: { statusCode: 200, headers: {} } },
      'timeout',
      'a.example:8443 responded with 200, but did not complete the response within 15000 ms.',
    ],
    [
      'is closed during the TLS handshake',
      { end: Object.assign(new Error('disconnected before secure TLS connection was established'), { code: 'ECONNRESET' }) },
      'connect',
      'a.example:8443 closed the connection during the TLS handshake.',
    ],
  ])('is reported with its message: %s', (_what, result, error, message) => {
    const failure = explain(result as Partial<PostResult>);
    expect([failure.outcome, failure.error]).toEqual([error, message]);
  });
});

const attempt = (kind: string, failures: number) => ({ delivery: { kind, eventCount: 1 }, failures, clientErrors: 0 }) as Attempt;

describe('delivery stops after', () => {
  it.each<[string, Attempt, Partial<SendResult>, string, string]>([
    [
      'the last attempt',
      attempt('live', 3),
      { outcome: 'http_error', statusCode: 503, error: 'An error.' },
      'disable',
      'The retry schedule is exhausted after 4 attempts; the last error: An error.',
    ],
    [
      'the last attempt of a replay',
      attempt('replay', 3),
      { outcome: 'http_error', statusCode: 503, error: 'An error.' },
      'give-up',
      'The retry schedule is exhausted after 4 attempts; the last error: An error.',
    ],
    [
      '410',
      attempt('live', 0),
      { outcome: 'http_error', statusCode: 410, error: 'An error.' },
      'disable',
      'The receiver responded with 410 Gone.',
    ],
    ['a blocked address', attempt('live', 0), { outcome: 'blocked', error: 'An error.' }, 'disable', 'An error.'],
  ])('is reported with its message: %s', (_what, tried, result, error, message) => {
    const failure = decideRetry(tried, result as SendResult, { retryDelaysMs: [1, 1, 1] });
    expect([failure.kind, 'reason' in failure && failure.reason]).toEqual([error, message]);
  });
});
