import type { Context } from 'koa';
import type { Limits } from '../../../limits/limits.ts';
import type { NetworkMatcher } from '../../../limits/networks.ts';
import type { Project } from '../../../limits/projects.ts';
import type { LimitedRequest } from '../../../limits/request.ts';
import { hash } from 'node:crypto';
import { createRecentMap } from '../../../shared/recent-map.ts';
import type { AuthenticatedState } from '../authenticated-state.ts';
import { readCredentials } from '../credentials.ts';
import { findAnySessionCookie } from '../session-cookie.ts';

export interface CallerDeps {
  limits: Pick<Limits, 'projects' | 'fingerprintHeaders'>;
  isTrustedProxy: NetworkMatcher;
  known: KnownCredentials;
}

type Caller = Pick<LimitedRequest, 'address' | 'fingerprint' | 'project'>;

/** The client of a request: the peer, or the client that trusted proxies forward for. */
export function readClientAddress(ctx: Context, isTrustedProxy: NetworkMatcher): string {
  const peer = peerOf(ctx);
  return isTrustedProxy(peer) ? readForwardedFor(ctx.get('x-forwarded-for'), peer, isTrustedProxy) : peer;
}

export const peerOf = (ctx: Context): string => ctx.req.socket.remoteAddress ?? '';

/** Describes the caller. Headers about it are used only from trusted proxies. */
export function readCaller(ctx: Context, { limits, isTrustedProxy }: CallerDeps): Caller {
  const { projects } = limits;
  const credentials = readCredentials(ctx);
  const byKey = credentials === undefined ? ofSession(ctx, projects) : projects.ofApiKey(credentials);
  const peer = peerOf(ctx);
  if (!isTrustedProxy(peer)) return { address: peer, project: byKey ?? projects.own };
  return {
    address: readForwardedFor(ctx.get('x-forwarded-for'), peer, isTrustedProxy),
    fingerprint: limits.fingerprintHeaders
      .map((name) => ctx.get(name))
      .find(Boolean)
      ?.slice(0, 200),
    // Only the project knows its key, while the header may come from the proxy's own caller.
    project: byKey ?? projects.get(ctx.get('x-rollcall-project')) ?? projects.own,
  };
}

/** Known only after authentication: a session counts for the project of the key that it began with. */
function ofSession(ctx: Context, projects: CallerDeps['limits']['projects']): Project | undefined {
  const key = (ctx.state as Partial<AuthenticatedState>).session?.grant.key;
  return key && projects.ofSession(key);
}

/** Before authentication, a caller is known if its credentials were accepted recently. */
export function isKnown(ctx: Context, { known, isTrustedProxy }: CallerDeps, { isForGateway = false } = {}): boolean {
  // Only a gateway that requests a decision may send this header. On other routes it may come from the caller.
  const header = isForGateway && isTrustedProxy(peerOf(ctx)) ? ctx.get('x-rollcall-authenticated') : '';
  if (header !== '') return header === 'true';
  const credentials = findCredentials(ctx);
  return credentials !== undefined && known.has(credentials);
}

/** An API key or a secret, or else the cookie of a session. */
export const findCredentials = (ctx: Context): string | undefined => readCredentials(ctx) ?? findAnySessionCookie(ctx);

/** Each proxy appends its caller, so the last address that is not a trusted proxy is the client. Earlier ones may be forged. */
function readForwardedFor(header: string, peer: string, isTrustedProxy: NetworkMatcher): string {
  let client = peer;
  for (const entry of header.split(',').toReversed()) {
    const address = withoutPort(entry.trim());
    if (address === undefined) return client;
    client = address;
    if (!isTrustedProxy(address)) return client;
  }
  return client;
}

const withoutPort = (entry: string) =>
  /^(?:\[([\da-f:.]+)\](?::\d+)?|(\d+(?:\.\d+){3})(?::\d+)?|([\da-f:.]+))$/i.exec(entry)?.slice(1).find(Boolean);

type KnownCredentials = ReturnType<typeof createKnownCredentials>;

const knownForMs = 3_600_000;
const keptAtMost = 50_000;

/**
 * Credentials that were accepted recently. Before authentication, they distinguish known callers from strangers. They grant nothing.
 */
export function createKnownCredentials({ always, now = Date.now }: { always: string[]; now?: () => number }) {
  const alwaysKnown = new Set(always.map(hashOf));
  const until = createRecentMap<number>(keptAtMost);
  return {
    remember(credentials: string): void {
      until.set(hashOf(credentials), now() + knownForMs);
    },
    has(credentials: string): boolean {
      const name = hashOf(credentials);
      return alwaysKnown.has(name) || (until.get(name) ?? 0) > now();
    },
  };
}

/** Only hashes are kept. */
const hashOf = (text: string) => hash('sha256', text, 'base64');
