import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createSessionAuthentication } from '../../src/access/authenticate-session.ts';
import { createRootKeys, digestOf } from '../../src/access/root-keys.ts';
import { createSessions, loginLinkMs, type SignedIn } from '../../src/access/sessions.ts';
import { hashSessionToken } from '../../src/access/session-token.ts';
import { AppError } from '../../src/errors.ts';
import { createSessionStore } from '../../src/store/sessions/session-store.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';

const [minute, hour] = [60_000, 3_600_000];
const rootKey = 'root-key-of-32-characters-or-more';
const browser = { address: '127.0.0.1', formerToken: undefined };

let database: TestDatabase;
let nowMs: number;
let recorded: Promise<void>;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  nowMs = Date.parse('2026-11-26T10:00:00Z');
  recorded = Promise.resolve();
});

interface ProcessOptions {
  keys?: string[];
  idleMs?: number;
  fingerprint?: string;
}

/** Creates the session functions of one process. Processes share only the database. */
function createProcess({ keys = [rootKey], idleMs = 2 * hour, fingerprint = 'a' }: ProcessOptions = {}) {
  const store = createSessionStore(database.db);
  const deps = {
    store,
    rootKeys: createRootKeys(keys),
    keyAuthentication: { authenticate: notFound, authenticateByPrefix: notFound },
    lifetimes: { idleMs, maxMs: 12 * hour },
    fingerprint,
    now: () => nowMs,
  };
  const authentication = createSessionAuthentication({ ...deps, noteUseSoon: (id, at) => void (recorded = store.noteUse(id, at)) });
  const check = async (token: string) => {
    authentication.invalidate();
    const found = await authentication.authenticate(token, '127.0.0.1');
    await recorded;
    return found instanceof AppError ? `${found.code}: ${found.message}` : found.caller.id;
  };
  return { store, sessions: createSessions({ ...deps, authentication }), check };
}

const notFound = () => Promise.resolve(new AppError('unauthorized', 'none'));
const signIn = async ({ sessions }: ReturnType<typeof createProcess>) => (await sessions.signInByKey(rootKey, browser)) as SignedIn;

it('a session that is not used ends after SESSION_IDLE_TTL', async () => {
  const process = createProcess();
  const { token } = await signIn(process);
  nowMs += 2 * hour - 1;
  expect(await process.check(token)).toBe('root_1');
  nowMs += 2 * hour - 1;
  expect(await process.check(token)).toBe('root_1');
  nowMs += 2 * hour;
  expect(await process.check(token)).toBe('session_expired: This session was not used for too long (SESSION_IDLE_TTL): sign in again.');
});

it('a use in one process extends the session in all processes', async () => {
  const [one, other] = [createProcess(), createProcess()];
  const { token } = await signIn(one);
  nowMs += hour;
  expect(await one.check(token)).toBe('root_1');
  nowMs += hour + minute;
  expect(await other.check(token)).toBe('root_1');
});

it('a session that is used ends after SESSION_TTL', async () => {
  const process = createProcess();
  const { token, session } = await signIn(process);
  for (let used = 0; used < 11; used += 1) {
    nowMs += hour;
    expect(await process.check(token)).toBe('root_1');
  }
  nowMs = session.expiresAt.getTime() - 1;
  expect(await process.check(token)).toBe('root_1');
  nowMs += 1;
  expect(await process.check(token)).toBe('session_expired: This session has reached its maximum lifetime (SESSION_TTL): sign in again.');
});

it('a session ends when its key is removed from API_KEYS', async () => {
  const { token } = await signIn(createProcess());
  const restarted = createProcess({ keys: ['another-root-key-of-32-characters'] });
  expect(await restarted.check(token)).toBe('session_ended: This session has ended. Its key was removed from API_KEYS. Sign in again.');
  expect(await createProcess({ keys: ['another-root-key-of-32-characters', rootKey] }).check(token)).toBe('root_2');
});

it('the use of a session that has ended is not recorded', async () => {
  const process = createProcess();
  const { token, session } = await signIn(process);
  await process.sessions.end(session);
  await process.store.noteUse(session.id, new Date(nowMs + hour));
  expect(await process.check(token)).toBe('session_ended: This session has ended. It was signed out. Sign in again.');
  expect((await database.db('sessions').where({ id: session.id }).first('last_used_at')).last_used_at.getTime()).toBe(nowMs);
});

it('a session with a role ends when the settings that gave it change', async () => {
  const { sessions } = createProcess();
  const { token } = (await sessions.signInAs({ id: 'oidc:1:ada', name: 'Ada', role: 'admin', fingerprint: 'a' }, browser)) as SignedIn;
  expect(await createProcess().check(token)).toBe('oidc:1:ada');
  expect(await createProcess({ fingerprint: 'b' }).check(token)).toBe(
    'session_ended: This session has ended. Single sign-on was turned off, or its settings changed (OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_ROLE_CLAIM, OIDC_ROLES). Sign in again.',
  );
});

it('sessions that have ended are deleted before those in use', async () => {
  const process = createProcess({ keys: ['root-key-of-somebody-with-sessions'] });
  const signInAgain = async () => (await process.sessions.signInByKey('root-key-of-somebody-with-sessions', browser)) as SignedIn;
  await database.db('sessions').delete();
  const first = await signInAgain();
  for (let one = 0; one < 21; one += 1) {
    nowMs += minute;
    await process.sessions.end((await signInAgain()).session);
  }
  expect(await process.check(first.token)).toBe('root_1');
  expect((await database.db('sessions')).length).toBe(20);
});

const codeOf = (found: SignedIn | AppError) => (found instanceof AppError ? found.code : found.session.method);

it('a login link works once, in one of two browsers, and for ten minutes', async () => {
  const { sessions } = createProcess();
  const link = await sessions.createLoginLink(rootKey);
  const used = await Promise.all([1, 2].map(() => sessions.signInByLink(link.token, browser)));
  expect(used.map(codeOf).sort()).toEqual(['login_link', 'login_link_invalid']);
  const late = await sessions.createLoginLink(rootKey);
  nowMs += loginLinkMs;
  expect(codeOf(await sessions.signInByLink(late.token, browser))).toBe('login_link_invalid');
  expect(codeOf(await sessions.signInByLink('x', browser))).toBe('login_link_invalid');
});

const otherKey = 'another-root-key-of-32-characters';
const countLinks = async (key: string) => (await database.db('login_links').where({ root_key_hash: digestOf(key) })).length;

it('a key has at most 20 login links: a further one deletes the oldest, and none of another key', async () => {
  const { sessions } = createProcess({ keys: [rootKey, otherKey] });
  const other = await sessions.createLoginLink(otherKey);
  const first = await sessions.createLoginLink(rootKey);
  nowMs += 1;
  await Promise.all(Array.from({ length: 30 }, () => sessions.createLoginLink(rootKey)));
  expect([await countLinks(rootKey), await countLinks(otherKey)]).toEqual([20, 1]);
  expect(codeOf(await sessions.signInByLink(first.token, browser))).toBe('login_link_invalid');
  nowMs += 1;
  const newest = await sessions.createLoginLink(rootKey);
  for (const { token } of [newest, other]) expect(codeOf(await sessions.signInByLink(token, browser))).toBe('login_link');
});

it('signing out everywhere deletes the login links of the key, and signing everyone out all of them', async () => {
  const { sessions } = createProcess({ keys: [rootKey, otherKey] });
  await sessions.createLoginLink(rootKey);
  await sessions.createLoginLink(otherKey);
  const { session } = (await sessions.signInByKey(rootKey, browser)) as SignedIn;
  await sessions.endAllOfPerson(session);
  expect([await countLinks(rootKey), await countLinks(otherKey)]).toEqual([0, 1]);
  const person = (await sessions.signInAs({ id: 'oidc:1:ada', name: 'Ada', role: 'admin', fingerprint: 'a' }, browser)) as SignedIn;
  await sessions.endAllOfPerson(person.session);
  expect(await countLinks(otherKey)).toBe(1);
  await sessions.endAll();
  expect(await countLinks(otherKey)).toBe(0);
});

it('a login link still works if its session could not be stored', async () => {
  const { sessions, store } = createProcess();
  const { session, token } = (await sessions.signInByKey(rootKey, browser)) as SignedIn;
  const link = await sessions.createLoginLink(rootKey);
  const hashes = { hash: hashSessionToken(token)!, formerHash: undefined, linkHash: hashSessionToken(link.token) };
  await expect(store.create(session, hashes, { type: 'root_key', id: 'root_1', name: 'root' })).rejects.toMatchObject({ code: '23505' });
  expect(codeOf(await sessions.signInByLink(link.token, browser))).toBe('login_link');
});

it('expired sessions and login links are deleted, and others are kept', async () => {
  await database.db('sessions').delete();
  await database.db('login_links').delete();
  const process = createProcess();
  nowMs = Date.now() - 13 * hour;
  await signIn(process);
  await process.sessions.createLoginLink(rootKey);
  nowMs = Date.now();
  await signIn(process);
  await process.sessions.createLoginLink(rootKey);
  expect([await process.store.dropExpired(10), await process.store.dropExpired(10)]).toEqual([1, 0]);
  expect([await database.db('sessions'), await database.db('login_links')].map(({ length }) => length)).toEqual([1, 1]);
});
