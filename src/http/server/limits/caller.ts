import type { Context } from 'koa';
import type { Limits } from '../../../limits/limits.ts';
import type { IsIn } from '../../../limits/networks.ts';
import type { LimitedRequest } from '../../../limits/request.ts';
import { readCredentials } from '../credentials.ts';
import type { KnownCredentials } from './known-credentials.ts';

export interface CallerDeps {
  limits: Pick<Limits, 'projects' | 'fingerprintHeaders'>;
  isTrustedProxy: IsIn;
  known: KnownCredentials;
}

export type Caller = Pick<LimitedRequest, 'address' | 'fingerprint' | 'project'>;

/** Whom a request is from: the peer, or the client that trusted proxies say they forward for. */
export function readClientAddress(ctx: Context, isTrustedProxy: IsIn): string {
  const peer = peerOf(ctx);
  return isTrustedProxy(peer) ? readForwardedFor(ctx.get('x-forwarded-for'), peer, isTrustedProxy) : peer;
}

export const peerOf = (ctx: Context): string => ctx.req.socket.remoteAddress ?? '';

/** Who calls. What headers say of it is believed from trusted proxies only. */
export function readCaller(ctx: Context, { limits, isTrustedProxy }: CallerDeps): Caller {
  const { projects } = limits;
  const credentials = readCredentials(ctx);
  const byKey = credentials === undefined ? undefined : projects.ofApiKey(credentials);
  const peer = peerOf(ctx);
  if (!isTrustedProxy(peer)) return { address: peer, project: byKey ?? projects.own };
  return {
    address: readForwardedFor(ctx.get('x-forwarded-for'), peer, isTrustedProxy),
    fingerprint: limits.fingerprintHeaders
      .map((name) => ctx.get(name))
      .find(Boolean)
      ?.slice(0, 200),
    // A key is known to its project alone, while a header may come from the proxy's own caller.
    project: byKey ?? projects.get(ctx.get('x-rollcall-project')) ?? projects.own,
  };
}

/** A call may be counted before it is authenticated: then it is known if the same credentials were accepted lately. */
export function isKnown(ctx: Context, { known, isTrustedProxy }: CallerDeps, { isAsked = false } = {}): boolean {
  // Only a gateway that asks knows better than we do; of our own routes it may come from the caller.
  const said = isAsked && isTrustedProxy(peerOf(ctx)) ? ctx.get('x-rollcall-authenticated') : '';
  if (said !== '') return said === 'true';
  const credentials = readCredentials(ctx);
  return credentials !== undefined && known.has(credentials);
}

/** Each proxy adds whom it was called by, so the last one that is no trusted proxy is the client; what stands before may be invented. */
function readForwardedFor(header: string, peer: string, isTrustedProxy: IsIn): string {
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
