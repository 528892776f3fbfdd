import { type Scope, scopes } from './scopes.ts';

/** Who sent an authenticated request to the JSON API: `ctx.state.caller`. */
export interface Caller {
  type: 'root_key' | 'api_key';
  /** The ID of an API key; `root_1` is the first key of API_KEYS. */
  id: string;
  /** The name of an API key; of a root key, its first characters. */
  name: string;
  scopes: ReadonlySet<Scope>;
  narrowed: Narrowing;
}

/** The only tenant, product or directory that a caller may know of. Empty: all of them. */
export interface Narrowing {
  tenant?: string;
  product?: string;
  directoryId?: string;
}

const shownCharacters = 6;

/** A key of API_KEYS may do everything. `position` begins with 1. */
export const createRootCaller = (key: string, position: number): Caller => ({
  type: 'root_key',
  id: `root_${position}`,
  name: key.slice(0, shownCharacters),
  scopes: new Set(scopes),
  narrowed: {},
});
