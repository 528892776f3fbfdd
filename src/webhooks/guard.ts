import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector } from 'undici';

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

/** True for an address written into the URL itself that may not be sent to; names are looked at when they are resolved. */
export function isBlockedUrl(url: URL, allowed: Network[]): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) !== 0 && !isAllowedAddress(host, allowed);
}

export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
  constructor(address: string) {
    super(`${address} is not a public address; WEBHOOK_ALLOWED_NETWORKS opens private networks.`);
  }
}

/**
 * Connections to allowed addresses only. Looked at three times, since each look alone has a way round: the literal (which is
 * never resolved), every answer of the name server at the moment of connecting, and the peer that we really reached.
 */
export function createGuardedAgent(allowed: Network[], connectTimeoutMs: number): Agent {
  const connect = buildConnector({ timeout: connectTimeoutMs, lookup: guardedLookup(allowed) });
  return new Agent({
    connect(options, callback) {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      if (isIP(host) !== 0 && !isAllowedAddress(host, allowed)) return callback(new BlockedAddressError(host), null);
      return connect(options, (...[error, socket]) => {
        if (error) return callback(error, null);
        const peer = socket.remoteAddress;
        if (peer !== undefined && !isAllowedAddress(peer, allowed)) {
          socket.destroy();
          return callback(new BlockedAddressError(peer), null);
        }
        return callback(null, socket);
      });
    },
  });
}

function guardedLookup(allowed: Network[]): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const usable = addresses.filter(({ address }) => isAllowedAddress(address, allowed));
      const [first] = usable;
      if (!first) return callback(new BlockedAddressError(`${hostname} (${addresses.map(({ address }) => address).join(', ')})`), '');
      return options.all ? callback(null, usable) : callback(null, first.address, first.family);
    });
  };
}
