import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { decisionPath } from '../../src/http/api/limits/decision.ts';
import { operations } from '../../src/http/operations.ts';
import { pathsOf } from '../../src/http/server/routing.ts';
import { startTestService, type TestDirectory, type TestService } from '../support/service.ts';

let service: TestService;
let directory: TestDirectory;
beforeAll(async () => {
  service = await startTestService({ AUTH_FAILURES_PER_SOURCE: '100000', AUTH_FAILURES_PER_DIRECTORY: '100000' }, { deliver: false });
  directory = await service.createDirectory();
});
afterAll(() => service.stop());

const methodsOfCallers = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const routesOf = (who: keyof typeof operations) =>
  operations[who].flatMap((operation) => pathsOf(operation).map((path) => ({ method: operation.method.toUpperCase(), path })));

/** Uses an existing directory, so that only the credentials are missing. */
async function ask({ method, path }: { method: string; path: string }, { baseUrl }: { baseUrl: string } = service) {
  const address = path.replaceAll(/\{\w+\}/g, directory.id);
  const response = await fetch(`${baseUrl}${address}`, { method, redirect: 'manual' });
  return { method, path, status: response.status, text: await response.text() };
}

it.each(['api', 'metrics', 'scim'] as const)('every route of kind %s responds with 401', async (kind) => {
  const routes = routesOf(kind);
  expect(routes.length).toBeGreaterThan(0);
  const responses = await Promise.all(routes.map((route) => ask(route)));
  expect(responses.filter(({ status }) => status !== 401)).toEqual([]);
});

it.each([
  '/api/',
  '/api/v1',
  '/api/v1/nothing',
  '/api/nothing/at/all',
  '/api/healthx',
  '/api/health/ready',
  '/api/scim/v2.0/nobody/Nothing',
])('%s responds with 401 too', async (path) => {
  for (const method of methodsOfCallers) expect((await ask({ method, path })).status).toBe(401);
});

it('of the routes of kind health, only /api/health is below /api/, and it is open', async () => {
  const below = routesOf('health').filter(({ path }) => path.startsWith('/api/'));
  expect(below).toEqual([{ method: 'GET', path: '/api/health' }]);
  expect((await ask(below[0]!)).status).toBe(200);
  expect((await ask({ method: 'POST', path: '/api/health' })).status).toBe(405);
});

it.each(['/api/scim', '/api/scim/', '/api/scim/v1/Users', '/api/scim/oauth/nothing'])(
  '%s responds with 404 because it does not exist',
  async (path) => {
    expect((await ask({ method: 'GET', path })).status).toBe(404);
  },
);

it('only the consent pages are public, and they reveal nothing about a directory that cannot be authorized', async () => {
  const consent = routesOf('consent');
  expect([...new Set(consent.map(({ path }) => path))].sort()).toEqual(['/api/scim/oauth/authorize', '/api/scim/oauth/callback']);
  for (const { path } of consent) {
    const query = path.endsWith('callback') ? '?state=x&code=y' : `?directoryId=${directory.id}`;
    const { status, text } = await ask({ method: 'GET', path: `${path}${query}` });
    expect([path, [400, 404].includes(status)]).toEqual([path, true]);
    expect(text).not.toContain('acme');
  }
});

it.each(['setup', 'setupPages'] as const)('every route of kind %s responds with 404 without the token of a setup link', async (kind) => {
  const routes = routesOf(kind);
  expect(routes.length).toBeGreaterThan(0);
  for (const { method, path } of routes) {
    const { status, text } = await ask({ method, path });
    expect([method, path, status]).toEqual([method, path, 404]);
    expect(text).not.toContain('acme');
  }
});

it('paths for gateways respond with 401, except to a trusted proxy, which gets 401 everywhere else', async () => {
  const gateway = [{ method: 'GET', path: decisionPath }, ...routesOf('gateway')];
  const limited = await service.startAnother({ LIMITS_PLAN: 'enterprise' });
  for (const route of gateway) expect((await ask(route, limited)).status).toBe(401);
  await limited.stop();
  const trusting = await service.startAnother({ LIMITS_PLAN: 'enterprise', TRUSTED_PROXIES: '127.0.0.0/8' });
  for (const route of gateway) expect((await ask(route, trusting)).status).not.toBe(401);
  for (const kind of ['api', 'metrics', 'scim'] as const) expect((await ask(routesOf(kind)[0]!, trusting)).status).toBe(401);
  await trusting.stop();
});
