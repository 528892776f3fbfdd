import { expect, it } from '@jest/globals';
import type { Project } from '../../src/limits/projects.ts';
import type { LimitedRequest } from '../../src/limits/request.ts';
import { type Rules, type VolumetricRule, readRules } from '../../src/limits/rules.ts';
import { createTestLimits } from '../support/limits.ts';

const limit = { rps: 2, rpm: 20 };
const rulesOf = (...volumetric: Partial<VolumetricRule>[]): Rules => ({
  ...readRules(undefined),
  volumetric: volumetric.map((rule, index) => ({ name: `rule-${index}`, by: 'address', action: 'enforce', limit, ...rule })),
});

function createVolume(...rules: Partial<VolumetricRule>[]) {
  const limits = createTestLimits({ rules: rulesOf(...rules) });
  /** The rule that rejects each of three requests. */
  const sendThrice = async (fields: Partial<LimitedRequest> = {}) => {
    const rejectedBy: (string | undefined)[] = [];
    for (let sent = 0; sent < 3; sent += 1) rejectedBy.push((await limits.limits.volumetric(limits.toRequest(fields)))?.bucket);
    return rejectedBy;
  };
  return { ...limits, sendThrice };
}

const third = (name: string) => [undefined, undefined, name];
const none = [undefined, undefined, undefined];

it('limits each source separately, whatever it requests', async () => {
  const { sendThrice } = createVolume({});
  expect(await sendThrice()).toEqual(third('rule-0'));
  expect(await sendThrice({ address: '192.0.2.2', path: '/other' })).toEqual(third('rule-0'));
});

it('counts all addresses of a customer’s IPv6 network as one source', async () => {
  const { limits, toRequest } = createVolume({});
  const ask = async (address: string) => (await limits.volumetric(toRequest({ address })))?.bucket;
  expect([await ask('2001:db8::1'), await ask('2001:db8::2'), await ask('2001:db8:0:0:ffff::3')]).toEqual(third('rule-0'));
  expect(await ask('2001:db8:0:1::1')).toBeUndefined();
});

it.each(['GET', 'HEAD', 'OPTIONS'])('ignores %s', async (method) => {
  const { sendThrice, outcomes } = createVolume({});
  expect(await sendThrice({ method })).toEqual(none);
  expect(outcomes).toEqual([]);
});

it.each<[string, Partial<VolumetricRule>, Partial<LimitedRequest>, Partial<LimitedRequest>]>([
  ['a method', { methods: ['DELETE'] }, { method: 'DELETE' }, { method: 'POST' }],
  ['a path', { paths: ['/self-service/**'] }, { path: '/Self-Service//login%2fx' }, { path: '/sessions' }],
  ['unauthenticated requests', { authenticated: false }, { isAuthenticated: false }, { isAuthenticated: true }],
  ['authenticated requests', { authenticated: true }, { isAuthenticated: true }, { isAuthenticated: false }],
  ['sources', { sources: ['198.51.100.0/24'] }, { address: '::ffff:198.51.100.7' }, { address: '192.0.2.1' }],
  ['a fingerprint', { by: 'fingerprint' }, { fingerprint: 't13d1516h2' }, {}],
])('may apply to %s only', async (_, rule, matching, other) => {
  const { sendThrice } = createVolume(rule);
  expect(await sendThrice(other)).toEqual(none);
  expect(await sendThrice(matching)).toEqual(third('rule-0'));
});

it('counts a fingerprint across all addresses', async () => {
  const { limits, toRequest } = createVolume({ by: 'fingerprint' });
  const rejectedBy: (string | undefined)[] = [];
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3'])
    rejectedBy.push((await limits.volumetric(toRequest({ address, fingerprint: 't13d1516h2' })))?.bucket);
  expect(rejectedBy).toEqual(third('rule-0'));
});

it('allows a project’s whitelist more, by the same rule', async () => {
  const { sendThrice, toRequest } = createVolume({ whitelisted: { rps: 100, rpm: 1_000 } });
  const project: Project = { ...toRequest({}).project, isWhitelisted: ({ address }) => address === '10.0.0.1' };
  expect(await sendThrice({ project, address: '10.0.0.1' })).toEqual(none);
  expect(await sendThrice({ project, address: '10.0.0.2' })).toEqual(third('rule-0'));
});

it('only logs what a report-only rule would reject, without personal data', async () => {
  const { sendThrice, lines, outcomes } = createVolume({ action: 'report' });
  expect(await sendThrice({ path: '/users/ada@example.com' })).toEqual(none);
  expect(outcomes).toEqual(['volumetric rule-0 allowed', 'volumetric rule-0 allowed', 'volumetric rule-0 reported']);
  expect(lines).toEqual([{ layer: 'volumetric', rule: 'rule-0', method: 'POST', project: 'default' }]);
});

it('applies several rules to one request', async () => {
  const { sendThrice, passMs } = createVolume({ limit: { rps: 100, rpm: 1_000 } }, { limit: { rps: 3, rpm: 4 } });
  expect(await sendThrice()).toEqual(none);
  passMs(1_000);
  expect(await sendThrice()).toEqual([undefined, 'rule-1', 'rule-1']);
});

it('allows with the default rules whatever a plan allows', async () => {
  const { limits, toRequest } = createTestLimits({ plan: 'enterprise' });
  for (let sent = 0; sent < 1_200; sent += 1)
    expect(await limits.volumetric(toRequest({ path: '/admin/oauth2/introspect', isAuthenticated: false }))).toBeUndefined();
  for (let sent = 0; sent < 20; sent += 1)
    expect(await limits.volumetric(toRequest({ path: '/api/v1/directory-sync', isAuthenticated: false }))).toBeUndefined();
  expect(await limits.volumetric(toRequest({ path: '/api/v1/directory-sync', isAuthenticated: false }))).toMatchObject({
    bucket: 'unknown-callers',
  });
});
