import { expect, it } from '@jest/globals';
import { failedOutcomes } from '../../../src/directory/delivery/ports.ts';
import { adviseOnFailure, type SeenFailure } from '../../../src/directory/health/advise-on-failure.ts';
import { adviseOn } from '../../../src/directory/health/health-status.ts';

const responded = (statusCode: number): SeenFailure => ({ outcome: 'http_error', statusCode });

it.each<[string, SeenFailure, RegExp]>([
  ['401', responded(401), /secret.*credentials/],
  ['403', responded(403), /firewall.*signatures/],
  ['404', responded(404), /path/],
  ['405', responded(405), /POST/],
  ['410', responded(410), /another webhook URL/],
  ['413', responded(413), /limit of request bodies/],
  ['429', responded(429), /rate limit/],
  ['a redirect', responded(307), /redirects/],
  ['another 4xx', responded(422), /log.*422/],
  ['5xx', responded(503), /log/],
  ['a timeout', { outcome: 'timeout' }, /acknowledges.*firewall/],
  ['a connection that is refused', { outcome: 'connect' }, /Start the receiver/],
  ['DNS', { outcome: 'dns' }, /host name/],
  ['TLS', { outcome: 'tls' }, /certificate/],
  ['a blocked address', { outcome: 'blocked' }, /WEBHOOK_ALLOWED_NETWORKS/],
  ['an invalid response', { outcome: 'http_error' }, /last error/],
  ['2xx without its whole body', { outcome: 'connect', statusCode: 200 }, /last error/],
])('advises on %s', (_, failure, advice) => {
  expect(adviseOnFailure(failure)).toMatch(advice);
});

it('has another advice for each outcome and status', () => {
  const statuses = [302, 401, 403, 404, 405, 410, 413, 422, 429, 503].map(responded);
  const advices = [...failedOutcomes.map((outcome) => ({ outcome })), ...statuses].map(adviseOnFailure);
  expect(new Set(advices).size).toBe(advices.length);
});

it('says in the health that events wait, also if the last attempt is unknown', () => {
  const failing = { status: 'failing', deliveryStatus: 'failing', type: 'okta-scim-v2' } as const;
  const known = adviseOn({ ...failing, lastFailure: responded(404) });
  const unknown = adviseOn(failing);
  expect(known).toContain(adviseOnFailure(responded(404)));
  expect(unknown).toContain(adviseOnFailure({ outcome: 'http_error' }));
  for (const advice of [known, unknown]) expect(advice).toMatch(/; .*in order.*\.$/);
});
