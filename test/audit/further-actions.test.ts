import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditAction } from '../../src/audit/act.ts';
import { consolePages } from '../../src/http/console/pages.ts';
import type { Operation } from '../../src/http/operation.ts';
import { allOperations } from '../../src/http/operations.ts';
import { packageRoot } from '../../src/paths.ts';
import { createKey } from '../support/api-keys.ts';
import { personalTexts, readAuditBodies, readAuditLog, syncedPerson } from '../support/audit.ts';
import { createCookieBrowser } from '../support/cookie-browser.ts';
import type { FakeGoogle } from '../support/google/fake-google.ts';
import { useGoogleService } from '../support/google-service.ts';
import { root } from '../support/operate.ts';
import { createPulledDirectory } from '../support/pulled-directories.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { apiKey, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let google: FakeGoogle;
let service: TestService;
let receiver: Receiver;
useGoogleService((started) => ({ google, service } = started));
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

interface Scenario {
  act(): Promise<{ status: number }>;
  /** Finds its entry. */
  query: Record<string, string>;
  actor: string;
}

/** A browser that has signed in with a key. */
async function openSignedIn() {
  const { id, key } = await createKey(service);
  const browser = createCookieBrowser(service.baseUrl);
  await browser.api('POST', '/api/v1/sessions', { api_key: key });
  return { id, key, browser };
}

async function ofPage(path: string, toForm: (key: string) => Record<string, string>): Promise<Scenario> {
  const { id, key, browser } = await openSignedIn();
  return { act: () => browser.send(path, { method: 'POST', form: toForm(key) }), query: { actor: id }, actor: 'api_key' };
}

const signInAgain = () => ofPage('/console/sign-in', (key) => ({ api_key: key }));
/** A link signs in whoever created it. */
async function useLoginLink(): Promise<Scenario> {
  const browser = createCookieBrowser(service.baseUrl);
  await browser.api('POST', '/api/v1/sessions', { api_key: apiKey });
  const { body } = await service.api('POST', '/api/v1/login-links');
  const token = new URL(body.data.url).searchParams.get('token')!;
  return { act: () => browser.send('/console/login', { method: 'POST', form: { token } }), query: { actor: 'root_1' }, actor: 'root_key' };
}

/** What takes a workflow, and the pages of the console, which are no operations of the API. Their second actions too. */
const scenarios: Record<string, () => Promise<Scenario>> = {
  'users.erase: user.erased': async () => {
    const { id, scim } = await service.createDirectory({ webhook_url: receiver.url });
    const { body } = await scim('POST', '/Users', syncedPerson);
    const path = `${root}/${id}/users/${body.id}/erase`;
    const act = async () => {
      await service.api('POST', path);
      return until(async () => {
        const erasure = await service.api('GET', path);
        return erasure.body.data.finished_at !== null && erasure;
      });
    };
    return { act, query: { directory_id: id, target: body.id }, actor: 'root_key' };
  },
  'syncs.start: sync.confirmed': async () => {
    google.preset({});
    const people = Array.from({ length: 20 }, (_, number) => google.addUser({ primaryEmail: `${number}@people.example` }));
    const { id, sync, requestSync } = await createPulledDirectory(service, google);
    await sync();
    for (const person of people.slice(0, 11)) google.removeUser(person.id);
    const run = await sync();
    return { act: () => requestSync(`?confirm=${run.id}`), query: { directory_id: id }, actor: 'root_key' };
  },
  'post /console/sign-in: sign_in.succeeded': signInAgain,
  'post /console/sign-in: session.ended': signInAgain,
  'post /console/login: sign_in.succeeded': useLoginLink,
  'post /console/login: session.ended': useLoginLink,
  'post /console/sign-out: session.ended': () => ofPage('/console/sign-out', () => ({})),
};

/** They need an OpenID provider: test/access/openid-sign-in.test.ts. */
const isOfProvider = ({ id }: Operation) => id === 'get /console/callback';
const actionsOf = ({ audit }: Operation): readonly AuditAction[] => (Array.isArray(audit) ? (audit as AuditAction[]) : []);

it('has a scenario for each action of the pages of the console', () => {
  const ofPages = consolePages
    .filter((page) => !isOfProvider(page))
    .flatMap((page) => actionsOf(page).map((action) => `${page.id}: ${action}`));
  expect(
    Object.keys(scenarios)
      .filter((name) => name.includes('/console/'))
      .sort(),
  ).toEqual(ofPages.sort());
});

it('each page of the console that is more than a read names what it adds', () => {
  expect(consolePages.filter((page) => page.method !== 'get' && actionsOf(page).length === 0).map(({ id }) => id)).toEqual([]);
});

describe.each(Object.keys(scenarios))('%s', (name) => {
  const action = name.split(': ')[1]!;
  const find = (query: Record<string, string>) => readAuditLog(service, { action, ...query });

  it('adds an entry', async () => {
    const { act, query, actor } = await scenarios[name]!();
    const before = await find(query);
    expect((await act()).status).toBeLessThan(400);
    const entries = await find(query);
    expect(entries.length).toBe(before.length + 1);
    expect(entries[0]).toMatchObject({ action, actor: { type: actor }, result: 'success' });
  });
});

describe('the console', () => {
  const folder = join(packageRoot, 'src/console');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  const source = files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');

  it('calls only operations, each of which says what it adds to the audit log if it is more than a read', () => {
    const methods = new Set([...source.matchAll(/\bapi\.(\w+\.\w+)\(/g)].map(([, id]) => id!));
    expect(methods.size).toBeGreaterThan(20);
    const called = [...methods].map((id) => ({ id, operation: allOperations.find((operation) => operation.id === id) }));
    expect(called.filter(({ operation }) => operation === undefined)).toEqual([]);
    const changing = called.filter(({ operation }) => operation!.method !== 'get');
    expect(changing.length).toBeGreaterThan(10);
    expect(changing.filter(({ operation }) => !operation!.audit)).toEqual([]);
  });

  it('sends nothing else, but to read and end its own session', () => {
    const sent = [...source.matchAll(/\bsend\(service, \{ method: '(\w+)', path(?:: (\w+))?/g)].map(
      ([, method, path = 'path']) => `${method} ${path}`,
    );
    expect(sent).toEqual(['GET current', 'DELETE path']);
    expect(source).not.toMatch(/[^.]\bfetch\(|XMLHttpRequest|sendBeacon|WebSocket|method="post"/);
  });
});

it('names no person who is synced, and nothing about one', async () => {
  expect(JSON.stringify(await service.db('users').select())).toMatch(personalTexts);
  const entries = await readAuditBodies(service);
  expect(entries.some((body) => body.includes('sync.confirmation_needed'))).toBe(true);
  expect(entries.filter((body) => personalTexts.test(body))).toEqual([]);
});
