import { isIP, type LookupFunction, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { DEFAULT_CIPHERS } from 'node:tls';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector } from 'undici';
import { recordConnectionTimings } from './connection-timings.ts';
import { createFairLookup, type LookupAll } from './fair-lookup.ts';

/** Public unicast that is no public service: the host agent of a large cloud. */
const denied = ['168.63.129.16/32'].map((cidr) => ipaddr.parseCIDR(cidr));
const globalV6 = ipaddr.parseCIDR('2000::/3');

type Network = ReturnType<typeof ipaddr.parseCIDR>;
export const parseNetworks = (cidrs: string[]): Network[] => cidrs.map((cidr) => ipaddr.parseCIDR(cidr));

/** An allow-list: what is not known to be a public unicast address is refused. */
export function isAllowedAddress(text: string, allowed: Network[]): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  const isIn = ([network, bits]: Network) => network.kind() === address.kind() && address.match(network, bits);
  if (allowed.some(isIn)) return true;
  if (address.range() !== 'unicast' || denied.some(isIn)) return false;
  return address.kind() === 'ipv4' || isIn(globalV6);
}

/** This machine, under whatever name: loopback, the address of all interfaces (which leads to loopback), or one of its interfaces. */
function isThisMachine(text: string): boolean {
  const address = ipaddr.process(text);
  if (address.range() === 'loopback' || address.range() === 'unspecified') return true;
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return own.some((each) => ipaddr.process(each.address.replace(/%.*$/, '')).toNormalizedString() === address.toNormalizedString());
}

const ownServerReason = 'belongs to Rollcall itself; no webhook is sent there.';
const notPublicReason = 'is not a public address; WEBHOOK_ALLOWED_NETWORKS opens private networks.';

/** What is wrong with an address, as far as it shows without asking the name server: where a name leads is looked at when connecting. */
export function refuseUrl(url: URL, allowed: Network[]): string | undefined {
  return findUrlFormProblem(url) ?? (isBlockedLiteral(url.hostname, allowed) ? notPublicReason : undefined);
}

/** What is wrong with an address wherever it leads. */
export function findUrlFormProblem({ protocol, username, password, hash }: URL): string | undefined {
  if (protocol !== 'https:' && protocol !== 'http:') return 'is not an http or https address.';
  if (username !== '' || password !== '') return 'has a user name or a password in it.';
  if (hash !== '') return 'has a fragment (#) in it, which no receiver is ever sent.';
  return undefined;
}

/** A URL has turned every way to write a number into one: 2130706433 and 0x7f.1 are 127.0.0.1 by now. */
function isBlockedLiteral(hostname: string, allowed: Network[]): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) !== 0 && !isAllowedAddress(host, allowed);
}

export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
  constructor(address: string, reason = notPublicReason) {
    super(`${address} ${reason}`);
  }
}

/** Ports of this machine at which Rollcall's own servers listen now. Whatever networks are allowed, no webhook goes there. */
export interface OwnPorts {
  has(port: number): boolean | Promise<boolean>;
}

export interface GuardedAgentOptions {
  lookup?: LookupAll;
  ownPorts?: OwnPorts;
  /** Certificates to trust in place of the public ones. */
  ca?: string;
}

/** Not the exchange of keys in which the server chooses the numbers: with very large ones a handshake takes 0.6 s of the event loop. */
const ciphers = `${DEFAULT_CIPHERS}:!DHE`;

/** Every directory may have an origin of its own: sockets that nobody needs go soon, whatever the receiver offers. */
const idleMs = 4_000;
const longestIdleMs = 15_000;

/**
 * Connections to allowed addresses only. Looked at three times, since each look alone has a way round: the literal (which is
 * never resolved), every answer of the name server at the moment of connecting, and the peer that we really reached. The last one tells
 * whether it is a server of our own, too.
 */
export function createGuardedAgent(
  allowed: Network[],
  connectTimeoutMs: number,
  { lookup = createFairLookup(), ownPorts = new Set(), ca }: GuardedAgentOptions = {},
): Agent {
  let dnsTimings: { dnsMs?: number } = {};
  const connect = buildConnector({ timeout: connectTimeoutMs, lookup: guardedLookup, ciphers, ...(ca && { ca }) });
  return new Agent({
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: longestIdleMs,
    connect(options, callback) {
      if (isBlockedLiteral(options.hostname, allowed)) return callback(new BlockedAddressError(options.hostname), null);
      const fromMs = performance.now();
      // The lookup is asked before connect returns, and so finds those of its own connection.
      const timings: { dnsMs?: number } = (dnsTimings = {});
      return connect(options, (...[error, socket]) => {
        if (error) return callback(error, null);
        const peer = socket.remoteAddress;
        if (peer !== undefined && !isAllowedAddress(peer, allowed)) {
          socket.destroy();
          return callback(new BlockedAddressError(peer), null);
        }
        recordConnectionTimings(socket, { ...timings, connectMs: performance.now() - fromMs - (timings.dnsMs ?? 0) });
        if (peer === undefined || !isThisMachine(peer)) return callback(null, socket);
        return void admitLocal(socket, peer, callback);
      });
    },
  });

  /** Until the callback nothing is sent. A port that can't be looked up counts as our own. */
  async function admitLocal(socket: Socket, peer: string, callback: buildConnector.Callback): Promise<void> {
    const port = socket.remotePort ?? 0;
    let isOwn = true;
    try {
      isOwn = await ownPorts.has(port);
    } catch {}
    if (!isOwn) return callback(null, socket);
    socket.destroy();
    return callback(new BlockedAddressError(`${peer}, port ${port},`, ownServerReason), null);
  }

  function guardedLookup(...[hostname, options, callback]: Parameters<LookupFunction>): void {
    const timings = dnsTimings;
    const fromMs = performance.now();
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      timings.dnsMs = performance.now() - fromMs;
      if (error) return callback(error, '');
      const usable = addresses.filter(({ address }) => isAllowedAddress(address, allowed));
      const [first] = usable;
      if (!first) return callback(new BlockedAddressError(`${hostname} (${addresses.map(({ address }) => address).join(', ')})`), '');
      return options.all ? callback(null, usable) : callback(null, first.address, first.family);
    });
  }
}
