import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { AuditAction } from '../../src/audit/act.ts';
import type { Operation } from '../../src/http/operation.ts';
import { operations } from '../../src/http/operations.ts';
import { personalTexts, readAuditBodies, readAuditLog, syncedPerson } from '../support/audit.ts';
import { createCsvDirectory, send, toForm } from '../support/csv-directory.ts';
import { createKey } from '../support/api-keys.ts';
import { createBrowser } from '../support/browser.ts';
import { createCookieBrowser, type CookieBrowser } from '../support/cookie-browser.ts';
import type { FakeGoogle } from '../support/google/fake-google.ts';
import { useGoogleService } from '../support/google-service.ts';
import { createClient, getToken } from '../support/oauth-clients.ts';
import { createOperated, root } from '../support/operate.ts';
import { createPulledDirectory, hold } from '../support/pulled-directories.ts';
import { fail, startReceiver, take, type Receiver } from '../support/receiver.ts';
import { retryEvery } from '../support/retry-schedules.ts';
import { createLink, createPlainBrowser, linksPath, webhook, type TestLink } from '../support/setup-links.ts';
import { apiKey, type TestService } from '../support/service.ts';
import { fetchSnapshot } from '../support/snapshots.ts';
import { until } from '../support/until.ts';

let google: FakeGoogle;
let service: TestService;
let receiver: Receiver;
useGoogleService((started) => ({ google, service } = started), {
  WEBHOOK_RETRY_SCHEDULE: retryEvery(3_600),
  DSYNC_ENTRA_CLIENT_ID: 'an-application',
  DSYNC_ENTRA_CLIENT_SECRET: 'its-secret',
  // Nobody answers there.
  DSYNC_ENTRA_LOGIN_URL: 'http://127.0.0.1:9',
});
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());
beforeEach(() => {
  google.preset({});
  google.addUser({ primaryEmail: syncedPerson.userName });
  receiver.respond = take;
});

/** An act that can be done now, and that has not been done. */
interface Scenario {
  act(): Promise<{ status: number }>;
  action: AuditAction;
  /** Finds its entry. */
  query: Record<string, string>;
  actor?: string;
  /** What it changes, if the entry does not name it. */
  directoryId?: string;
}

const get = (path: string) => service.api('GET', path);
const post = (path: string, body?: unknown) => service.api('POST', path, body);

async function ofDirectory(action: AuditAction, toAct: (path: string, id: string) => Promise<{ status: number }>): Promise<Scenario> {
  const { id } = await service.createDirectory({ webhook_url: receiver.url, tenant: randomUUID(), product: randomUUID() });
  return { act: () => toAct(`${root}/${id}`, id), action, query: { directory_id: id } };
}

/** A directory with a delivered event, whose receiver then fails. */
async function ofDeliveries(
  action: AuditAction,
  toAct: (operated: Awaited<ReturnType<typeof createOperated>>) => Promise<Scenario['act']>,
) {
  const operated = await createOperated(service, receiver);
  await operated.push(syncedPerson.userName);
  await operated.untilDone();
  receiver.respond = fail;
  return { act: await toAct(operated), action, query: { directory_id: operated.directory.id } };
}

async function ofGoogle(action: AuditAction, fields: object, toAct: (id: string) => Promise<Scenario['act']>): Promise<Scenario> {
  const { body } = await post(root, { tenant: 'acme', product: 'app', type: 'google', ...fields });
  return { act: await toAct(body.data.id), action, query: { directory_id: body.data.id } };
}

async function ofEntra(action: AuditAction, toAct: (path: string) => Promise<Scenario['act']>): Promise<Scenario> {
  const { body } = await post(root, { tenant: 'acme', product: 'app', type: 'entra' });
  return { act: await toAct(`${root}/${body.data.id}/entra`), action, query: { directory_id: body.data.id } };
}

async function ofCsv(action: AuditAction, toAct: (path: string) => Promise<{ status: number }>): Promise<Scenario> {
  const { id } = await createCsvDirectory(service);
  return { act: () => toAct(`${root}/${id}`), action, query: { directory_id: id } };
}

async function ofKey(action: AuditAction, toAct: (path: string) => Promise<{ status: number }>): Promise<Scenario> {
  const { id } = await createKey(service);
  return { act: () => toAct(`/api/v1/api-keys/${id}`), action, query: { target: id } };
}

/** A browser that has signed in with a key. */
async function ofSession(toAct: (browser: CookieBrowser, key: string) => Promise<{ status: number }>): Promise<Scenario> {
  const { id, key } = await createKey(service);
  const browser = createCookieBrowser(service.baseUrl);
  await browser.api('POST', '/api/v1/sessions', { api_key: key });
  return { act: () => toAct(browser, key), action: 'session.ended', query: { actor: id }, actor: 'api_key' };
}

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

async function ofUser(action: AuditAction, toAct: (path: string) => Promise<{ status: number }>): Promise<Scenario> {
  const { id, scim } = await service.createDirectory();
  const { body } = await scim('POST', '/Users', syncedPerson);
  return { act: () => toAct(`${root}/${id}/users/${body.id}`), action, query: { directory_id: id, target: body.id } };
}

/** A client that has an access token. */
async function ofClient(action: AuditAction, toAct: (path: string) => Promise<{ status: number }>): Promise<Scenario> {
  const { id } = await service.createDirectory();
  const client = await createClient(service, id);
  await getToken(service, client);
  return { act: () => toAct(client.path), action, query: { directory_id: id } };
}

const authorize = async (id: string) => (await post(`${root}/${id}/google/authorization-url`)).body.data.authorizationUrl as string;

const okta = { type: 'okta-scim-v2' };
const plainBrowser = () => createPlainBrowser(service);

async function ofLink(action: AuditAction, toAct: (link: TestLink) => Promise<{ status: number }>): Promise<Scenario> {
  const link = await createLink(service);
  return { act: () => toAct(link), action, query: { target: link.id } };
}

/** By an administrator, without an API key. */
async function withLink(action: AuditAction, toAct: (link: TestLink) => Promise<{ status: number }>) {
  const link = await createLink(service);
  return { act: () => toAct(link), action, query: { tenant: link.tenant } as Record<string, string>, actor: 'administrator', link };
}

async function withLinkedDirectory(action: AuditAction, toAct: (link: TestLink, id: string) => Promise<{ status: number }>) {
  const link = await createLink(service);
  const { data } = (await (await openLink('POST', `${link.token}/directory-sync`, okta)).json()) as { data: { id: string } };
  const query: Record<string, string> = { directory_id: data.id };
  return { act: () => toAct(link, data.id), action, query, actor: 'administrator', link };
}

const openLink = (method: string, path: string, body?: object) =>
  fetch(`${service.baseUrl}/api/setup/${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });

const scenarios: Record<string, () => Promise<Scenario>> = {
  'directories.create': async () => {
    const tenant = randomUUID();
    return { act: () => post(root, { tenant, product: 'app' }), action: 'directory.created', query: { tenant } };
  },
  'directories.list': async () => {
    const [tenant, product] = [randomUUID(), randomUUID()];
    const { id } = await service.createDirectory({ tenant, product });
    return { act: () => get(`${root}?tenant=${tenant}&product=${product}`), action: 'directory.secrets_read', query: { target: id } };
  },
  'directories.listOfProduct': async () => {
    const product = randomUUID();
    const { id } = await service.createDirectory({ product });
    return { act: () => get(`${root}/product?product=${product}`), action: 'directory.secrets_read', query: { target: id } };
  },
  'directories.listAll': () => ofDirectory('directory.secrets_read', () => get(`${root}/all`)),
  'directories.get': () => ofDirectory('directory.secrets_read', (path) => get(path)),
  'directories.update': () => ofDirectory('directory.updated', (path) => service.api('PATCH', path, { name: 'New', deactivated: true })),
  'directories.delete': () => ofDirectory('directory.deleted', (path) => service.api('DELETE', path)),
  'directories.rotateScimSecret': () => ofDirectory('directory.scim_secret_rotated', (path) => post(`${path}/scim/secret/rotate`)),
  'scimClients.create': () => ofDirectory('scim_client.created', (path) => post(`${path}/scim/clients`, { name: 'a' })),
  'scimClients.update': () =>
    ofClient('scim_client.updated', (path) => service.api('PATCH', path, { name: 'New', expires_at: inDays(30) })),
  'scimClients.revoke': () => ofClient('scim_client.revoked', (path) => service.api('DELETE', path)),
  'scimClients.revokeTokens': () => ofClient('scim_client.tokens_revoked', (path) => service.api('DELETE', `${path}/tokens`)),
  uploadFiles: () =>
    ofCsv('directory.files_uploaded', (path) =>
      send(service, `${path}/files`, { body: toForm({ 'users.csv': 'idp_id,email,first_name\n1,king@people.example,Augusta\n' }) }),
    ),
  'uploadTokens.create': () => ofCsv('upload_token.created', (path) => post(`${path}/upload-tokens`, { name: 'a' })),
  'uploadTokens.revoke': async () => {
    const { id } = await createCsvDirectory(service);
    const { body } = await post(`${root}/${id}/upload-tokens`, { name: 'a' });
    const act = () => service.api('DELETE', `${root}/${id}/upload-tokens/${body.data.id}`);
    return { act, action: 'upload_token.revoked' as const, query: { directory_id: id } };
  },
  readSnapshot: async () => {
    const { query } = await ofUser('directory.exported', (path) => get(path));
    const id = query['directory_id']!;
    return { act: () => fetchSnapshot(service, id), action: 'directory.exported', query: { directory_id: id } };
  },
  'users.export': () => ofUser('user.exported', (path) => get(`${path}/export`)),
  'users.erase': () => ofUser('user.erasure_requested', (path) => post(`${path}/erase`)),
  'attributes.setSchema': () => {
    const product = randomUUID();
    const act = () => service.api('PUT', '/api/v1/attribute-schemas', { product, attributes: [{ name: 'job_title' }] });
    return Promise.resolve({ act, action: 'attribute_schema.updated', query: { target: product } });
  },
  'attributes.setMapping': () =>
    ofDirectory('directory.mapping_updated', (path) => service.api('PUT', `${path}/mapping`, { attributes: {} })),
  'roles.set': () =>
    ofDirectory('directory.roles_updated', (path) =>
      service.api('PUT', `${path}/roles`, { groups: [{ group_name: 'Admins', role: 'admin' }] }),
    ),
  'roles.delete': async () => {
    const scenario = await ofDirectory('directory.roles_updated', (path) => service.api('DELETE', `${path}/roles`));
    await service.api('PUT', `${root}/${scenario.query['directory_id']}/roles`, { groups: [{ group_name: 'Admins', role: 'admin' }] });
    return scenario;
  },
  'deliveries.pause': () => ofDirectory('delivery.paused', (path) => post(`${path}/pause`)),
  'deliveries.resume': async () => {
    const scenario = await ofDirectory('delivery.resumed', (path) => post(`${path}/resume`));
    await post(`${root}/${scenario.query['directory_id']}/pause`);
    return scenario;
  },
  'deliveries.retry': () =>
    ofDeliveries('delivery.retried', async ({ push, state, post: postTo }) => {
      await push('b');
      const { id } = await until(async () => {
        const { open } = await state();
        return open?.failures > 0 && open;
      });
      return () => postTo(`/deliveries/${id}/retry`);
    }),
  'webhooks.test': () => ofDirectory('webhook.tested', (path) => post(`${path}/webhook/test`)),
  'webhooks.rotateSecret': () => ofDirectory('webhook.secret_rotated', (path) => post(`${path}/webhook/secret/rotate`)),
  'replays.create': () =>
    ofDeliveries(
      'replay.started',
      async (operated) => () => operated.post('/replays', { mode: 'range', from_sequence: 1, to_sequence: 1 }),
    ),
  'replays.cancel': () =>
    ofDeliveries('replay.canceled', async (operated) => {
      const { body } = await operated.post('/replays', { mode: 'range', from_sequence: 1, to_sequence: 1 });
      await until(async () => (await operated.get('/deliveries?kind=replay'))[0]?.failures > 0);
      return () => operated.post(`/replays/${body.data.id}/cancel`);
    }),
  'webhookEvents.delete': () =>
    ofDeliveries(
      'delivery_log.deleted',
      async ({ directory }) =>
        () =>
          service.api('DELETE', `${root}/events?directory_id=${directory.id}`),
    ),
  'syncs.start': async () => {
    const { id, requestSync } = await createPulledDirectory(service, google);
    return { act: () => requestSync(), action: 'sync.started', query: { directory_id: id } };
  },
  'syncs.cancel': async () => {
    const directory = await createPulledDirectory(service, google);
    const holding = hold(google, directory.isRequestFor('users'));
    const runId = await directory.begin();
    await holding.reached();
    const act = async () => {
      const canceled = await directory.cancel(runId);
      holding.release();
      return canceled;
    };
    return { act, action: 'sync.canceled', query: { directory_id: directory.id } };
  },
  'syncs.startAll': async () => {
    const { id } = await createPulledDirectory(service, google);
    return { act: () => post(`${root}/cron/sync-google`), action: 'sync.started', query: { actor: 'root_1' }, directoryId: id };
  },
  'syncs.startAllEntra': async () => {
    const { body } = await post(root, { tenant: 'acme', product: 'app', type: 'entra' });
    const { id } = body.data;
    await service.db('directories').where({ id }).update({ provider_account: randomUUID() });
    return { act: () => post(`${root}/cron/sync-entra`), action: 'sync.started', query: { actor: 'root_1' }, directoryId: id };
  },
  'google.generateAuthorizationUrl': () =>
    ofGoogle('directory.authorization_started', {}, async (id) => () => post(`${root}/${id}/google/authorization-url`)),
  'google.getAccessToken': () =>
    ofGoogle('directory.code_exchanged', {}, async (id) => {
      const code = new URL(await google.consent(await authorize(id))).searchParams.get('code')!;
      return () => post(`${root}/${id}/google/exchange`, { code });
    }),
  'google.setToken': () =>
    ofGoogle('directory.authorized', {}, async (id) => {
      const tokens = google.issueTokens();
      return () => post(`${root}/${id}/google/token`, tokens);
    }),
  'entra.generateAuthorizationUrl': () =>
    ofEntra('directory.authorization_started', async (path) => () => post(`${path}/authorization-url`)),
  'entra.setTenant': () =>
    ofEntra('directory.authorized', async (path) => {
      const { body } = await post(`${path}/authorization-url`);
      const state = new URL(body.data.authorizationUrl).searchParams.get('state');
      return () => post(`${path}/tenant`, { tenant: randomUUID(), state });
    }),
  completeGoogleConsent: async () => {
    const browser = createBrowser();
    const scenario = await ofGoogle('directory.authorized', {}, async (id) => {
      const { location } = await browser.openAndContinue(`${service.baseUrl}/api/scim/oauth/authorize?directory_id=${id}`);
      const callback = await google.consent(location!);
      return () => browser.open(callback);
    });
    return { ...scenario, actor: 'administrator' };
  },
  'apiKeys.create': async () => {
    const tenant = randomUUID();
    const act = () => post('/api/v1/api-keys', { name: 'a', preset: 'read-only', tenant });
    return { act, action: 'api_key.created', query: { tenant } };
  },
  'apiKeys.update': () =>
    ofKey('api_key.updated', (path) => service.api('PATCH', path, { name: 'New', expires_at: '2999-01-01T00:00:00Z' })),
  'apiKeys.rotate': () => ofKey('api_key.rotated', (path) => post(`${path}/rotate`)),
  'apiKeys.revoke': () => ofKey('api_key.revoked', (path) => service.api('DELETE', path)),
  createSession: async () => {
    const { id, key } = await createKey(service);
    const act = () => createCookieBrowser(service.baseUrl).api('POST', '/api/v1/sessions', { api_key: key });
    return { act, action: 'sign_in.succeeded', query: { actor: id }, actor: 'api_key' };
  },
  endSession: () => ofSession((browser) => browser.api('DELETE', '/api/v1/sessions/current')),
  endOwnSessions: () => ofSession((browser) => browser.api('DELETE', '/api/v1/sessions')),
  'sessions.endAll': async () => {
    await ofSession((browser) => browser.api('DELETE', '/api/v1/sessions'));
    return { act: () => service.api('DELETE', '/api/v1/sessions/all'), action: 'session.ended', query: { actor: 'root_1' } };
  },
  'sessions.createLoginLink': async () => ({
    act: () => post('/api/v1/login-links'),
    action: 'login_link.created',
    query: { actor: 'root_1' },
  }),
  'setupLinks.create': async () => {
    const tenant = randomUUID();
    return { act: () => post(linksPath, { tenant, product: 'app', ...webhook }), action: 'setup_link.created', query: { tenant } };
  },
  'setupLinks.get': () => ofLink('setup_link.secrets_read', ({ id }) => get(`${linksPath}?id=${id}`)),
  'setupLinks.listAll': () => ofLink('setup_link.secrets_read', ({ tenant }) => get(`${linksPath}/all?tenant=${tenant}`)),
  'setupLinks.listOfProduct': () => ofLink('setup_link.secrets_read', ({ product }) => get(`${linksPath}/product?product=${product}`)),
  'setupLinks.revoke': () => ofLink('setup_link.revoked', ({ id }) => service.api('DELETE', `${linksPath}?id=${id}`)),
  openSetupLink: () => withLink('setup_link.opened', ({ token }) => openLink('GET', token)),
  createSetupDirectory: () => withLink('directory.created', ({ token }) => openLink('POST', `${token}/directory-sync`, okta)),
  updateSetupDirectory: () =>
    withLinkedDirectory('directory.updated', ({ token }, id) => openLink('PATCH', `${token}/directory-sync/${id}`, { deactivated: true })),
  deleteSetupDirectory: () =>
    withLinkedDirectory('directory.deleted', ({ token }, id) => openLink('DELETE', `${token}/directory-sync/${id}`)),
  showSetup: () => withLink('setup_link.opened', ({ url }) => plainBrowser().open(url)),
  chooseSetupProvider: async () => {
    let first: { text: string };
    const scenario = await withLink('directory.created', () => plainBrowser().press(first, 'okta-scim-v2'));
    first = await plainBrowser().open(scenario.link.url);
    return scenario;
  },
  changeSetupDirectory: async () => {
    let page: { text: string };
    const scenario = await withLinkedDirectory('directory.scim_secret_rotated', () => plainBrowser().press(page, 'secret'));
    page = await plainBrowser().open(`${scenario.link.url}/directory-sync/${scenario.query['directory_id']}`);
    return scenario;
  },
  changeSetupRoles: async () => {
    const link = await createLink(service, { roles: ['admin'] });
    const { id } = await service.createDirectory({ tenant: link.tenant, product: link.product });
    const act = () =>
      fetch(`${link.url}/directory-sync/${id}/roles`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'action=give&group=Admins&role=admin',
      });
    return { act, action: 'directory.roles_updated', query: { directory_id: id }, actor: 'administrator' };
  },
  exportAuditLog: async () => {
    const from = new Date().toISOString();
    return { act: exportNothing, action: 'audit_log.exported', query: { range_start: from } };
  },
};

/** The link's directory is connected, and its administrator presses "Finish". */
async function ofFinishedLink(action: AuditAction): Promise<Scenario> {
  const link = await createLink(service, { revoke_on_completion: true });
  const created = await openLink('POST', `${link.token}/directory-sync`, okta);
  const { id, scim } = ((await created.json()) as { data: { id: string; scim: { endpoint: string; secret: string } } }).data;
  await fetch(`${scim.endpoint}/Users`, {
    method: 'POST',
    headers: { authorization: `Bearer ${scim.secret}`, 'content-type': 'application/scim+json' },
    body: JSON.stringify(syncedPerson),
  });
  const page = await until(async () => {
    const { text } = await plainBrowser().open(`${link.url}/directory-sync/${id}`);
    return text.includes('value="finish"') && { text };
  });
  return { act: () => plainBrowser().press(page, 'finish'), action, query: { target: link.id }, actor: 'administrator' };
}

/** The further acts of operations that have several. */
const furtherScenarios: Record<string, () => Promise<Scenario>> = {
  'setupLinks.create, for a tenant that has a link': () =>
    ofLink('setup_link.secrets_read', ({ tenant, product }) => post(linksPath, { tenant, product, ...webhook })),
  'createSession, by somebody who has signed in': () =>
    ofSession((browser, key) => browser.api('POST', '/api/v1/sessions', { api_key: key })),
  'directories.update, with credentials': () =>
    ofGoogle('directory.authorized', {}, async (id) => {
      const { accessToken, refreshToken } = google.issueTokens();
      return () => service.api('PATCH', `${root}/${id}`, { google_access_token: accessToken, google_refresh_token: refreshToken });
    }),
  'changeSetupDirectory, to finish': () => ofFinishedLink('setup_link.completed'),
  'changeSetupDirectory, to finish with a link for one use': () => ofFinishedLink('setup_link.revoked'),
};

/** In further-actions.test.ts: they need more time. */
const shownElsewhere = new Set<AuditAction>(['sync.confirmed', 'user.erased']);

const exportNothing = () => get('/api/v1/audit-log/export?target=none');

const all = [
  ...operations.api,
  ...operations.signIn,
  ...operations.gateway,
  ...operations.decisions,
  ...operations.consent,
  ...operations.setup,
  ...operations.setupPages,
  ...operations.metrics,
] as Operation[];
const audited = all.filter(({ audit }) => Array.isArray(audit));

const find = async ({ action, query }: Scenario) =>
  (await readAuditLog(service, { action, ...query })).filter((entry) => entry.action === action);

it('has a scenario for each operation that adds to the audit log', () => {
  expect(Object.keys(scenarios).sort()).toEqual(audited.map(({ id }) => id).sort());
});

const withoutExamples = (name: string, value: unknown) => (name === 'examples' ? undefined : value);

it('knows what each operation adds that returns a secret or is more than a read', () => {
  const isSecret = /"(secret|[a-z_]*_(secret|token|key))":/;
  const returnsSecret = ({ responses }: Operation) =>
    Object.values(responses).some(({ data, body }) =>
      isSecret.test(JSON.stringify(z.toJSONSchema(data ?? body ?? z.null()), withoutExamples)),
    );
  const undecided = all.filter((operation) => (operation.method !== 'get' || returnsSecret(operation)) && !operation.audit);
  expect(undecided.map(({ id }) => id)).toEqual([]);
  expect(all.filter(returnsSecret).length).toBeGreaterThan(5);
});

it('has a scenario for each further act of an operation', async () => {
  const further = audited.flatMap(({ audit }) => (audit as AuditAction[]).slice(1)).filter((action) => !shownElsewhere.has(action));
  const shown = await Promise.all(Object.values(furtherScenarios).map(async (create) => (await create()).action));
  expect(shown.sort()).toEqual(further.sort());
});

describe.each(Object.entries({ ...scenarios, ...furtherScenarios }))('%s', (title, createScenario) => {
  const operation = audited.find(({ id }) => id === title.split(', ')[0])!;

  it('adds an entry that names who, from where and what', async () => {
    const scenario = await createScenario();
    const before = await find(scenario);
    const { status } = await scenario.act();
    expect(status).toBeLessThan(300);
    const entries = await find(scenario);
    expect(entries.length).toBe(before.length + 1);
    expect(operation.audit).toContain(scenario.action);
    expect(entries[0]).toMatchObject({
      action: scenario.action,
      actor: scenario.actor ? { type: scenario.actor } : { type: 'root_key', id: 'root_1', name: apiKey.slice(0, 6) },
      context: { location: expect.stringContaining('127.0.0.1'), user_agent: expect.any(String), request_id: expect.any(String) },
      result: 'success',
    });
    expect(JSON.stringify(entries[0])).not.toMatch(/whsec_|ya29|rcl_|rcs_|rct_|\?/);
  });

  it('does nothing if the entry cannot be added', async () => {
    const scenario = await createScenario();
    const [entries, before] = [await find(scenario), await readState(scenario)];
    // The commit fails.
    await service.db.raw('alter table audit_chain add constraint broken check (false) not valid');
    try {
      expect((await scenario.act()).status).toBeGreaterThanOrEqual(500);
    } finally {
      await service.db.raw('alter table audit_chain drop constraint broken');
    }
    expect(await find(scenario)).toEqual(entries);
    expect(await readState(scenario)).toEqual(before);
  });
});

it('names no person who is synced, and nothing about one', async () => {
  const people = JSON.stringify(await Promise.all(['users', 'events', 'uploaded_files'].map((table) => service.db(table).select())));
  expect(people).toMatch(personalTexts);
  const entries = await readAuditBodies(service);
  expect(entries.length).toBeGreaterThan(Object.keys(scenarios).length);
  expect(entries.filter((body) => personalTexts.test(body))).toEqual([]);
});

const nobody = '00000000-0000-7000-8000-000000000000';

/** What the acts change of the directory. */
async function readState({ query: { directory_id: named, target, tenant }, directoryId: id = named }: Scenario): Promise<unknown> {
  const tables = {
    all_directories: 'id, name, deactivated, scim_secret, deleting_at is null, google_authorization_version, attribute_mapping, role_table',
    webhook_endpoints: 'id, status, url, sealed_url',
    webhook_secrets: 'id, expires_at',
    scim_secrets: 'id, expires_at',
    webhook_replays: 'id, status',
    webhook_batches: 'id, status, failures, next_attempt_at',
    sync_runs: 'id, state, notice',
    authorization_requests: 'id',
    scim_clients: 'id, name, expires_at, revoked_at',
    user_erasures: 'id',
  };
  const found = Object.entries(tables).map(async ([table, columns]) => {
    const isOfAct = table === 'all_directories' ? 'id = :id or tenant = :tenant' : 'directory_id = :id';
    const bindings = { id: id ?? null, tenant: tenant ?? null };
    return (await service.db.raw(`select ${columns} from ${table} where ${isOfAct} order by id`, bindings)).rows;
  });
  const tokens = service
    .db('scim_access_tokens')
    .where({ directory_id: id ?? nobody })
    .select('hash', 'expires_at');
  const keys = service.db('api_keys as k').leftJoin('api_key_values as v', 'v.key_id', 'k.id').orderBy('v.prefix');
  const ofKeys = keys.where('k.tenant', tenant ?? '').orWhereRaw('cast(k.id as text) = ?', [target ?? '']);
  const links = service
    .db('setup_links')
    .where({ id: target ?? '' })
    .orWhere({ tenant: tenant ?? '' });
  return Promise.all([
    ...found,
    links.select('id', 'opened_at', 'completed_at'),
    service.db('attribute_schemas').where({ product: target ?? '' }),
    tokens,
    ofKeys.select('k.id', 'name', 'revoked_at', 'k.expires_at', 'v.prefix', 'v.expires_at as ends_at'),
  ]);
}
