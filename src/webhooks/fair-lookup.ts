import { lookup as systemLookup, type LookupAddress, type LookupAllOptions } from 'node:dns';

type LookupCallback = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;
export type LookupAll = (hostname: string, options: LookupAllOptions, callback: LookupCallback) => void;

interface FairLookupOptions {
  lookup?: LookupAll;
  /** Maximum concurrent lookups of names that have not resolved recently. */
  maxUnknownLookups?: number;
  slowMs?: number;
  now?: () => number;
}

const rememberedMs = 600_000;
const maxRemembered = 10_000;

/**
 * Each lookup occupies one of the four threads of the process until the name server responds. So names that have not resolved recently may
 * use half of the threads, a name is looked up once at a time, and a name that becomes slow loses its priority. A name server that does not
 * respond cannot delay names that resolve.
 */
export function createFairLookup({
  lookup = systemLookup,
  maxUnknownLookups = 2,
  slowMs = 1_000,
  now = Date.now,
}: FairLookupOptions = {}): LookupAll {
  const knownUntil = new Map<string, number>();
  const asking = new Map<string, LookupCallback[]>();
  const waiting: (() => void)[] = [];
  let unknownLookups = 0;

  return (hostname, options, callback) => {
    const key = `${hostname}/${options.family ?? 0}`;
    const others = asking.get(key);
    if (others) return void others.push(callback);
    asking.set(key, [callback]);
    const isKnown = (knownUntil.get(key) ?? 0) > now();
    const ask = () => lookUp(key, hostname, options, isKnown);
    if (isKnown) return ask();
    if (unknownLookups >= maxUnknownLookups) return void waiting.push(ask);
    unknownLookups += 1;
    return ask();
  };

  function lookUp(key: string, hostname: string, options: LookupAllOptions, isKnown: boolean): void {
    const slow = setTimeout(() => knownUntil.delete(key), slowMs);
    const startedMs = now();
    lookup(hostname, options, (error, addresses) => {
      clearTimeout(slow);
      knownUntil.delete(key);
      if (!error && now() - startedMs < slowMs) remember(key);
      if (!isKnown) leavePlace();
      const callbacks = asking.get(key) ?? [];
      asking.delete(key);
      for (const callback of callbacks) callback(error, addresses);
    });
  }

  function leavePlace() {
    const next = waiting.shift();
    if (next) next();
    else unknownLookups -= 1;
  }

  function remember(key: string) {
    if (knownUntil.size >= maxRemembered) knownUntil.clear();
    knownUntil.set(key, now() + rememberedMs);
  }
}
