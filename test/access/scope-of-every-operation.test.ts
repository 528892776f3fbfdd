import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deploymentScopes, scopes } from '../../src/access/scopes.ts';
import { namesDirectory, type Operation } from '../../src/http/operation.ts';
import { allOperations } from '../../src/http/operations.ts';
import { createKey, type TestKey } from '../support/api-keys.ts';
import { startTestService, type TestService } from '../support/service.ts';

const withScopes = allOperations.filter(({ scope }) => scope !== undefined);
/** Only these may be limited here: the others exceed the limits of every plan. */
const limited = withScopes.filter(({ requiresLimits, auth }) => requiresLimits || auth === 'gateway');

const fits = ({ auth, scope }: Operation) => ['apiKey', 'gateway'].includes(auth) === (scope !== undefined);

const services: TestService[] = [];
const keys = { limited: [] as TestKey[], unlimited: [] as TestKey[] };
beforeAll(async () => {
  for (const [name, env] of [
    ['unlimited', {}],
    ['limited', { LIMITS_PLAN: 'enterprise' }],
  ] as const) {
    const service = await startTestService(env, { deliver: false });
    services.push(service);
    for (const scope of scopes) keys[name].push(await createKey(service, { scopes: [scope] }));
  }
});
afterAll(async () => {
  for (const service of services) await service.stop();
});

it('every operation with an API key requires a scope, and no other operation has one', () => {
  expect(allOperations.filter((operation) => !fits(operation))).toEqual([]);
  expect([withScopes.length > 50, limited.length > 3]).toEqual([true, true]);
});

/** Nothing exists, and no body is sent: what a key may do is checked first. */
const nothing = '01a1fd46-beef-7978-b244-a1855f394770';
const pathOf = ({ path }: Operation, directoryId = nothing) => path.replace('{directoryId}', directoryId).replaceAll(/\{\w+\}/g, nothing);

it.each(withScopes.map((operation) => [operation.id, operation] as const))('%s is only for keys with its scope', async (_id, operation) => {
  const responses = keys[limited.includes(operation) ? 'limited' : 'unlimited'].map(async ({ api }, index) => {
    const { status, body } = await api(operation.method.toUpperCase(), pathOf(operation));
    const isRejected = status === 403 && body.error?.code === 'insufficient_scope';
    return { scope: scopes[index], isRejected, isUsual: isRejected || [200, 201, 202, 400, 404].includes(status) };
  });
  expect(await Promise.all(responses)).toEqual(scopes.map((scope) => ({ scope, isRejected: scope !== operation.scope, isUsual: true })));
});

/** A narrowed key cannot have the others. */
const narrowable = scopes.filter((scope) => !deploymentScopes.includes(scope));
const ofDirectory = withScopes.filter(({ path }) => namesDirectory(path));

describe('with a key that is narrowed to a tenant', () => {
  let narrowedKeys: TestKey[];
  let foreign: string;
  beforeAll(async () => {
    narrowedKeys = [];
    for (const scope of narrowable) narrowedKeys.push(await createKey(services[0]!, { scopes: [scope], tenant: 'own' }));
    ({ id: foreign } = await services[0]!.createDirectory({ tenant: 'foreign' }));
  });

  it.each(ofDirectory.map((operation) => [operation.id, operation] as const))(
    '%s is only for keys with its scope, and only for a directory of the tenant',
    async (_id, operation) => {
      // Deleted by one of the operations.
      const { id: own } = await services[0]!.createDirectory({ tenant: 'own' });
      const send = async ({ api }: TestKey, directoryId: string) => {
        const { status, body } = await api(operation.method.toUpperCase(), pathOf(operation, directoryId));
        return { status, code: body.error?.code as string | undefined };
      };
      const responses = [];
      for (const [index, scope] of narrowable.entries())
        responses.push({ scope, own: await send(narrowedKeys[index]!, own), foreign: await send(narrowedKeys[index]!, foreign) });
      const rejected = { status: 403, code: 'insufficient_scope' };
      const others = responses.filter(({ scope }) => scope !== operation.scope);
      expect(others).toEqual(others.map(({ scope }) => ({ scope, own: rejected, foreign: rejected })));
      const allowed = responses.filter(({ scope }) => scope === operation.scope);
      expect(allowed.map((one) => one.foreign.status)).toEqual(allowed.map(() => 404));
      expect(allowed.filter((one) => one.own.code === rejected.code || one.own.status >= 500)).toEqual([]);
    },
  );

  it('changes nothing of another tenant', async () => {
    const { status } = await services[0]!.api('GET', `/api/v1/directory-sync/${foreign}`);
    expect(status).toBe(200);
  });
});
