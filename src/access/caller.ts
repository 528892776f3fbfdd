import { isNarrowed, type Narrowing } from './narrowing.ts';
import { type Scope, scopes } from './scopes.ts';

/** Who sent an authenticated request to the JSON API: `ctx.state.caller`. */
export interface Caller {
  type: 'root_key' | 'api_key' | 'upload_token' | 'person';
  /** The ID of an API key; `root_1` is the first key of API_KEYS; of a person, the subject at the OpenID provider. */
  id: string;
  /** The name of an API key or a person; of a root key, its first characters. */
  name: string;
  scopes: ReadonlySet<Scope>;
  narrowed: Narrowing;
  /** A key that it creates must not outlive it. */
  expiresAt?: Date | undefined;
  /** A key that it creates must not work in other networks. */
  allowedNetworks?: readonly string[] | undefined;
}

const shownCharacters = 6;

/** Whether a caller may do everything, for all directories. */
export const isAdministrator = ({ narrowed, scopes: given }: Pick<Caller, 'narrowed' | 'scopes'>): boolean =>
  !isNarrowed(narrowed) && scopes.every((scope) => given.has(scope));

/** A key of API_KEYS may do everything. `position` begins with 1. */
export const createRootCaller = (key: string, position: number): Caller => ({
  type: 'root_key',
  id: `root_${position}`,
  name: key.slice(0, shownCharacters),
  scopes: new Set(scopes),
  narrowed: {},
});

/** A job with an upload token: it can push the files of its directory. */
export const createUploadCaller = ({ id, name, directoryId }: { id: string; name: string; directoryId: string }): Caller => ({
  type: 'upload_token',
  id,
  name,
  scopes: new Set(['files:write']),
  narrowed: { directoryId },
});

/** A scraper of METRICS_PORT, which needs no key. */
export const metricsPortCaller: Caller = {
  type: 'root_key',
  id: 'metrics_port',
  name: 'METRICS_PORT',
  scopes: new Set(['metrics:read']),
  narrowed: {},
};

/** A gateway in TRUSTED_PROXIES, which needs no key. */
export const trustedProxyCaller: Caller = {
  type: 'root_key',
  id: 'trusted_proxy',
  name: 'TRUSTED_PROXIES',
  scopes: new Set(['limits:read']),
  narrowed: {},
};
