import ipaddr from 'ipaddr.js';

export type NetworkMatcher = (address: string) => boolean;

const maxRemembered = 1_000;

/** Matches addresses against CIDRs. An IPv4-mapped IPv6 address counts as the IPv4 address. */
export function createNetworkMatcher(cidrs: string[]): NetworkMatcher {
  const networks = cidrs.map((cidr) => ipaddr.parseCIDR(cidr));
  if (networks.length === 0) return () => false;
  const known = new Map<string, boolean>();
  return (text) => {
    const found = known.get(text) ?? find(text);
    // There are few proxies, and they are checked for every request.
    if (known.size >= maxRemembered) known.clear();
    known.set(text, found);
    return found;
  };

  function find(text: string): boolean {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
  }
}

export const isAddress = (text: string): boolean => ipaddr.isValid(text);

/** The unit to count by: an IPv4 address, or an IPv6 /64, since one client may have 2^64 addresses. */
export function toSource(text: string): string {
  if (!ipaddr.isValid(text)) return 'unknown';
  const address = ipaddr.process(text);
  if (address.kind() === 'ipv4') return address.toString();
  return `${(address as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

export const isNetwork = (text: string): boolean => ipaddr.isValidCIDR(text);

/** Whether each of the networks is in one of the others. */
export const areWithinNetworks = (cidrs: readonly string[], others: readonly string[]): boolean =>
  cidrs.every((cidr) => {
    const [network, bits] = ipaddr.parseCIDR(cidr);
    return others.some((other) => {
      const [outer, outerBits] = ipaddr.parseCIDR(other);
      return network.kind() === outer.kind() && bits >= outerBits && network.match(outer, outerBits);
    });
  });
