import { constants } from 'node:crypto';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { DEFAULT_CIPHERS } from 'node:tls';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector, errors } from 'undici';
import { recordConnectionTimings } from './connection-timings.ts';
import { createFairLookup, type LookupAll } from './fair-lookup.ts';
import { limitTls } from './limit-tls.ts';

/** This is a public unicast address, but it belongs to Azure's host agent. */
const denied = ['168.63.129.16/32'].map((cidr) => ipaddr.parseCIDR(cidr));
const globalV6 = ipaddr.parseCIDR('2000::/3');

type Network = ReturnType<typeof ipaddr.parseCIDR>;
export const parseNetworks = (cidrs: string[]): Network[] => cidrs.map((cidr) => ipaddr.parseCIDR(cidr));

/** An allow-list: only addresses known to be public unicast are accepted. */
export function isAllowedAddress(text: string, allowed: Network[]): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  const isIn = ([network, bits]: Network) => network.kind() === address.kind() && address.match(network, bits);
  if (allowed.some(isIn)) return true;
  if (address.range() !== 'unicast' || denied.some(isIn)) return false;
  return address.kind() === 'ipv4' || isIn(globalV6);
}

/** Any address of this machine: loopback, the unspecified address (which connects to loopback), or an interface. */
function isThisMachine(text: string): boolean {
  const address = ipaddr.process(text);
  if (address.range() === 'loopback' || address.range() === 'unspecified') return true;
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return own.some((each) => ipaddr.process(each.address.replace(/%.*$/, '')).toNormalizedString() === address.toNormalizedString());
}

const ownServerReason = 'is a server of Rollcall itself; webhooks are not sent there.';
const notPublicReason = 'is not a public address; set WEBHOOK_ALLOWED_NETWORKS to allow private networks.';

/** Describes what is wrong with a webhook address, without a DNS lookup: resolved addresses are checked when connecting. */
export function findUrlProblem(url: URL, allowed: Network[]): string | undefined {
  return findUrlFormProblem(url) ?? (isBlockedLiteral(url.hostname, allowed) ? notPublicReason : undefined);
}

/** Describes what is wrong with the form of a webhook address, whatever its host. */
export function findUrlFormProblem({ protocol, username, password, hash }: URL): string | undefined {
  if (protocol !== 'https:' && protocol !== 'http:') return 'is not an http or https address.';
  if (username !== '' || password !== '') return 'must not contain a user name or a password.';
  if (hash !== '') return 'has a fragment (#), which is never sent to a receiver.';
  return undefined;
}

/** URL parsing has normalized every way to write an IP address: 2130706433 and 0x7f.1 are 127.0.0.1 here. */
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

/** Ports of this machine on which Rollcall's own servers listen. Webhooks are never sent there, whatever networks are allowed. */
export interface OwnPorts {
  has(port: number): boolean | Promise<boolean>;
}

export interface GuardedAgentOptions {
  lookup?: LookupAll;
  ownPorts?: OwnPorts;
  /** Trusted CA certificates in place of the public ones. */
  ca?: string;
}

/** Without finite-field Diffie-Hellman: a server that chooses very large numbers makes the handshake block the event loop for 0.6 s. */
const ciphers = `${DEFAULT_CIPHERS}:!DHE`;
/** A server could ask for one handshake after the other, and none of it counts as bytes read. TLS 1.3 has no renegotiation. */
const secureOptions = constants.SSL_OP_NO_RENEGOTIATION;

/** Each directory may have its own origin, so idle sockets are closed soon, whatever the receiver offers. */
const idleMs = 4_000;
const longestIdleMs = 15_000;

/**
 * Connects to allowed addresses only. Each check alone can be circumvented, so there are three: the IP literal (which is never resolved),
 * each resolved address when connecting, and the peer that was reached. The last one also detects Rollcall's own servers.
 */
export function createGuardedAgent(
  allowed: Network[],
  connectTimeoutMs: number,
  { lookup = createFairLookup(), ownPorts = new Set(), ca }: GuardedAgentOptions = {},
): Agent {
  let dnsTimings: { dnsMs?: number } = {};
  const connectTcp = buildConnector({ timeout: connectTimeoutMs, lookup: guardedLookup });
  const startTls = buildConnector({ timeout: connectTimeoutMs, ciphers, secureOptions, ...(ca && { ca }) });
  return new Agent({
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: longestIdleMs,
    connect(options, callback) {
      if (isBlockedLiteral(options.hostname, allowed)) return callback(new BlockedAddressError(options.hostname), null);
      const fromMs = performance.now();
      // The lookup starts before connect returns, so it sees the timings of its own connection.
      const timings: { dnsMs?: number } = (dnsTimings = {});
      const isSecure = options.protocol === 'https:';
      const finish = (socket: Socket) => {
        recordConnectionTimings(socket, { ...timings, connectMs: performance.now() - fromMs - (timings.dnsMs ?? 0) });
        callback(null, socket);
      };
      const admit: buildConnector.Callback = (...[error, socket]) => {
        if (error) return callback(error, null);
        return isSecure ? secure(socket, options, fromMs + connectTimeoutMs - performance.now(), callback, finish) : finish(socket);
      };
      return connectTcp({ ...options, protocol: 'http:', port: options.port || (isSecure ? '443' : '80') }, (...[error, socket]) => {
        if (error) return callback(error, null);
        const peer = socket.remoteAddress;
        if (peer !== undefined && !isAllowedAddress(peer, allowed)) {
          socket.destroy();
          return callback(new BlockedAddressError(peer), null);
        }
        if (peer === undefined || !isThisMachine(peer)) return admit(null, socket);
        return void rejectOwnPort(socket, peer, admit);
      });
    },
  });

  function secure(
    tcp: Socket,
    options: buildConnector.Options,
    timeoutMs: number,
    callback: buildConnector.Callback,
    finish: (socket: Socket) => void,
  ): void {
    const { stream, begin } = limitTls(tcp);
    const { remoteAddress } = tcp;
    const timer = setTimeout(() => tcp.destroy(new errors.ConnectTimeoutError()), timeoutMs);
    startTls({ ...options, httpSocket: stream as Socket }, (...[error, socket]) => {
      clearTimeout(timer);
      if (error) {
        tcp.destroy();
        return callback(error, null);
      }
      begin(socket);
      socket.once('close', () => tcp.destroy());
      Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress });
      return finish(socket);
    });
  }

  /** Nothing is sent before the callback. If the port cannot be checked, it counts as Rollcall's own. */
  async function rejectOwnPort(socket: Socket, peer: string, callback: buildConnector.Callback): Promise<void> {
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
