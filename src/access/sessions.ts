import type { Actor } from '../audit/act.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import type { KeyAuthentication } from './authenticate-key.ts';
import type { Caller } from './caller.ts';
import { readKeyValue } from './key-value.ts';
import { digestOf, type RootKeys } from './root-keys.ts';
import type { KeyOfSession, NewSession, Session, SessionLifetimes, SessionStore, SignedInPerson, SignInHashes } from './session-ports.ts';
import type { SessionAuthentication } from './authenticate-session.ts';
import { createSessionToken, hashSessionToken } from './session-token.ts';

interface SessionsDeps {
  store: SessionStore;
  rootKeys: RootKeys;
  keyAuthentication: Pick<KeyAuthentication, 'authenticate' | 'authenticateByPrefix'>;
  authentication: SessionAuthentication;
  lifetimes: SessionLifetimes;
  now?: () => number;
}

/** The token is for the browser's cookie, and only its hash is stored. */
export interface SignedIn {
  session: Session;
  caller: Caller;
  token: string;
}

/** The browser that signs in: its address, and the token of its previous session. */
interface Browser {
  address: string;
  formerToken: string | undefined;
}

export const loginLinkMs = 10 * 60_000;

export type Sessions = ReturnType<typeof createSessions>;

/** Begins and ends sessions of people. A rejected sign-in returns the reason. */
export function createSessions({ store, rootKeys, keyAuthentication, authentication, lifetimes, now = Date.now }: SessionsDeps) {
  return {
    async signInByKey(given: string, browser: Browser): Promise<SignedIn | AppError> {
      const caller = rootKeys.find(given) ?? (await keyAuthentication.authenticate(given, browser.address));
      if (caller instanceof AppError) return caller.code === 'unauthorized' ? new AppError('unauthorized', 'Unknown API key.') : caller;
      return begin(caller, 'api_key', { key: keyOf(given) }, browser);
    },

    async signInByLink(token: string, browser: Browser): Promise<SignedIn | AppError> {
      const linkHash = hashSessionToken(token);
      const link = linkHash && (await store.findLoginLink(linkHash, new Date(now())));
      const caller = link && (await findCaller(link.key, browser.address));
      // The link was not used: it still works from an address that the key allows.
      if (caller instanceof AppError && caller.code === 'key_network') return caller;
      if (!caller || caller instanceof AppError) return invalidLink();
      return begin(caller, 'login_link', { key: link.key }, { ...browser, linkHash });
    },

    signInAs(person: SignedInPerson, browser: Browser): Promise<SignedIn | AppError> {
      const { role, fingerprint } = person;
      return begin(authentication.toPerson(person), 'oidc', { role, fingerprint }, browser);
    },

    async end(session: Session): Promise<void> {
      await store.end(session.id, new Date(now()));
      authentication.invalidate();
    },

    async endAllOfPerson(session: Session): Promise<number> {
      const ended = await store.endAllOfPerson(session, new Date(now()));
      authentication.invalidate();
      return ended;
    },

    async endAll(): Promise<number> {
      const ended = await store.endAll(new Date(now()));
      authentication.invalidate();
      return ended;
    },

    /** Lets somebody who can run commands with the key sign in with a browser. */
    async createLoginLink(key: string): Promise<{ token: string; expiresAt: Date }> {
      const token = createSessionToken();
      const [createdAt, expiresAt] = [new Date(now()), new Date(now() + loginLinkMs)];
      await store.createLoginLink(hashSessionToken(token)!, { key: keyOf(key), createdAt, expiresAt });
      return { token, expiresAt };
    },
  };

  /** Creates a new token for each sign-in, whatever cookie the browser has: otherwise somebody could prepare a session for somebody else. */
  async function begin(
    caller: Caller,
    method: NewSession['method'],
    grant: NewSession['grant'],
    { formerToken = '', linkHash }: Browser & Pick<SignInHashes, 'linkHash'>,
  ): Promise<SignedIn | AppError> {
    const token = createSessionToken();
    const [createdAt, expiresAt] = [new Date(now()), new Date(now() + lifetimes.maxMs)];
    const session: NewSession = { id: newId(), personId: caller.id, personName: caller.name, method, grant, createdAt, expiresAt };
    const hashes = { hash: hashSessionToken(token)!, formerHash: hashSessionToken(formerToken), linkHash };
    const created = await store.create(session, hashes, toActor(caller));
    if (!created) return invalidLink();
    authentication.invalidate();
    return { session: created, caller, token };
  }

  /** An API key has a public part. A root key is known by its hash. */
  function keyOf(given: string): KeyOfSession {
    const value = readKeyValue(given);
    return value && !rootKeys.find(given) ? { prefix: value.prefix } : { rootKeyHash: digestOf(given) };
  }

  function findCaller(key: KeyOfSession, address: string): Promise<Caller | AppError | undefined> {
    return 'prefix' in key
      ? keyAuthentication.authenticateByPrefix(key.prefix, address)
      : Promise.resolve(rootKeys.findByHash(key.rootKeyHash));
  }
}

const toActor = ({ type, id, name }: Caller): Actor => ({ type, id, name });

const invalidLink = () =>
  new AppError(
    'login_link_invalid',
    'This sign-in link was used, has expired, or is incomplete. Print another one with `rollcall console login`.',
  );
