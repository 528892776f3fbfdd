import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { packageRoot } from '../../src/paths.ts';
import type { LimitedRequest } from '../../src/limits/request.ts';
import { createTestLimits } from '../support/limits.ts';

const specification = readFileSync(join(packageRoot, 'test/fixtures/limits/specification.md'), 'utf8');

const specified = specification
  .split('## Inflight limits')[1]!
  .split('\n')
  .filter((line) => line.startsWith('| /'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .flatMap(([, endpoint, methods, key, action]) =>
    methods!.split(', ').map((method) => ({
      method,
      path: endpoint!.replace('<id>', '4f1c').replace('<type>', 'oidc'),
      isBySubject: key!.includes('<email>'),
      isEnforced: action!.startsWith('Enforced'),
    })),
  );

it('cover the seven rows of the specification', () => {
  expect(specified).toHaveLength(2 + 3 + 1 + 1 + 1 + 1 + 1);
});

describe.each(specified)('$method $path', ({ method, path, isBySubject, isEnforced }) => {
  const sent = { method, path, ...(isBySubject && { subject: 'ada@example.com' }) };

  it(`${isEnforced ? 'is rejected' : 'is only reported'} while another one is in flight`, async () => {
    const { limits, toRequest, outcomes, lines } = createTestLimits();
    const [first, second] = [await limits.inflight(toRequest(sent)), await limits.inflight(toRequest(sent))];
    expect(first).toEqual({ lease: expect.any(String) });
    const logged = { layer: 'inflight', rule: expect.any(String), method, project: 'default' };
    const rejected = expect.objectContaining({ isAllowed: false, layer: 'inflight', waitMs: 1_000 });
    expect(second).toEqual(isEnforced ? { rejected } : {});
    expect(lines).toEqual(isEnforced ? [] : [logged]);
    expect(outcomes.map((outcome) => outcome.split(' ')[2])).toEqual(['allowed', isEnforced ? 'rejected' : 'reported']);
    expect(await limits.release(first.lease!)).toBe(true);
    expect(await limits.inflight(toRequest(sent))).toEqual({ lease: expect.any(String) });
  });

  it('is another resource in another project, and under another path or subject', async () => {
    const { limits, toRequest } = createTestLimits();
    const other = { ...toRequest({}).project, id: 'other' };
    const requests: Partial<LimitedRequest>[] = [sent, { ...sent, project: other }];
    if (isBySubject) requests.push({ ...sent, subject: 'ben@example.com' }, { ...sent, subject: '7c2e' });
    if (path.includes('4f1c')) requests.push({ ...sent, path: path.replace('4f1c', '4f1d') });
    for (const request of requests) expect(await limits.inflight(toRequest(request))).toEqual({ lease: expect.any(String) });
  });

  it('expires if it is not released', async () => {
    const limits = createTestLimits();
    const { lease } = await limits.limits.inflight(limits.toRequest(sent));
    limits.passMs(59_999);
    expect((await limits.limits.inflight(limits.toRequest(sent))).lease).toBeUndefined();
    limits.passMs(1);
    expect((await limits.limits.inflight(limits.toRequest(sent))).lease).toBeDefined();
    expect(await limits.limits.release(lease!)).toBe(false);
    expect((await limits.limits.inflight(limits.toRequest(sent))).lease).toBeUndefined();
  });
});

it.each(['GET', 'HEAD', 'OPTIONS'])('ignores %s', async (method) => {
  const { limits, toRequest } = createTestLimits();
  expect([
    await limits.inflight(toRequest({ method, path: '/admin/identities' })),
    await limits.inflight(toRequest({ method, path: '/admin/identities' })),
  ]).toEqual([{}, {}]);
});

it('does not delay requests that no rule matches', async () => {
  const { limits, toRequest } = createTestLimits();
  for (const path of ['/sessions/whoami', '/admin/identities/4f1c/other', '/admin/identities/by/external'])
    expect(await limits.inflight(toRequest({ path }))).toEqual({});
});

it('matches the same resource in another spelling, and with another method of its row', async () => {
  const { limits, toRequest } = createTestLimits();
  await limits.inflight(toRequest({ method: 'PUT', path: '/admin/identities/4f1c' }));
  for (const path of ['/admin//identities/4F1C/', '/admin/identities%2f4f1c', '/admin/x/../identities/4f1c?x=1'])
    expect(await limits.inflight(toRequest({ method: 'DELETE', path }))).toHaveProperty('rejected');
});
