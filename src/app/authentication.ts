import { createKeyAuthentication, type KeyAuthentication } from '../access/authenticate-key.ts';
import { createSessionAuthentication } from '../access/authenticate-session.ts';
import { fingerprintOf } from '../access/openid-fingerprint.ts';
import { toSource } from '../limits/networks.ts';
import { createOpenIdSignIn } from '../access/openid-sign-in.ts';
import { createRootKeys, type RootKeys } from '../access/root-keys.ts';
import { createSessions } from '../access/sessions.ts';
import type { Config } from '../config.ts';
import type { HttpDeps } from '../http/deps.ts';
import type { Logger } from '../logger.ts';
import { createOpenIdProvider } from '../providers/openid/create-openid-provider.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';
import { translateOutages } from '../store/sql/outages.ts';
import { runDetached } from '../store/sql/statement-scope.ts';
import type { Storage } from './storage.ts';

interface AuthenticationParts {
  config: Config;
  storage: Storage;
  log: Logger;
}

/** How callers of the API prove who they are: by a key, or by a session of the console. */
export function createAuthentication(parts: AuthenticationParts, apiKeys: string[]) {
  const { storage, log } = parts;
  const keyAuthentication = createKeyAuthentication({
    // Several requests share what one of them reads, also if that one ends.
    store: { findByPrefix: (prefix) => runDetached(() => storage.apiKeyStore.findByPrefix(prefix)) },
    noteUseSoon(keyId) {
      runDetached(() => storage.apiKeyStore.noteUse(keyId)).catch((error: Error) =>
        log.warn({ keyId, error: toLoggableMessage(error) }, 'could not note that an API key was used'),
      );
    },
  });
  const rootKeys = createRootKeys(apiKeys);
  return { rootKeys, keyAuthentication, ...createSignIn(parts, { rootKeys, keyAuthentication }) };
}

/** How people sign in with a browser. */
function createSignIn(
  { config, storage, log }: AuthenticationParts,
  keys: { rootKeys: RootKeys; keyAuthentication: KeyAuthentication },
): Pick<HttpDeps, 'sessions' | 'sessionAuthentication' | 'openIdSignIn'> {
  const store = translateOutages(storage.sessionStore, storage.forCallers);
  const { sessions: lifetimes, oidc } = config;
  const authentication = createSessionAuthentication({
    ...keys,
    // Several requests share what one of them reads, also if that one ends.
    store: { findByHash: (hash) => runDetached(() => store.findByHash(hash)) },
    lifetimes,
    fingerprint: oidc && fingerprintOf(oidc),
    noteUseSoon(sessionId, at) {
      runDetached(() => store.noteUse(sessionId, at)).catch((error: Error) =>
        log.warn({ sessionId, error: toLoggableMessage(error) }, 'could not note that a session was used'),
      );
    },
  });
  return {
    sessionAuthentication: authentication,
    sessions: createSessions({ ...keys, store, authentication, lifetimes }),
    openIdSignIn:
      oidc && createOpenIdSignIn({ ...oidc, provider: createOpenIdProvider(oidc), seal: storage.cursorSeal, toClient: toSource }),
  };
}
