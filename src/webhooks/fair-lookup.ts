import { lookup as systemLookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import { createSemaphore } from '../shared/semaphore.ts';

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
  const pending = new Map<string, LookupCallback[]>();
  const unknownLookups = createSemaphore(maxUnknownLookups);

  return (hostname, options, callback) => {
    const key = `${hostname}/${options.family ?? 0}`;
    const others = pending.get(key);
    if (others) return void others.push(callback);
    pending.set(key, [callback]);
    const isKnown = (knownUntil.get(key) ?? 0) > now();
    const start = () => lookUp(key, hostname, options, isKnown);
    return isKnown ? start() : unknownLookups.enter(start);
  };

  function lookUp(key: string, hostname: string, options: LookupAllOptions, isKnown: boolean): void {
    const slow = setTimeout(() => knownUntil.delete(key), slowMs);
    const startedMs = now();
    lookup(hostname, options, (error, addresses) => {
      clearTimeout(slow);
      knownUntil.delete(key);
      if (!error && now() - startedMs < slowMs) remember(key);
      if (!isKnown) unknownLookups.leave();
      const callbacks = pending.get(key) ?? [];
      pending.delete(key);
      for (const callback of callbacks) callback(error, addresses);
    });
  }

  function remember(key: string) {
    if (knownUntil.size >= maxRemembered) knownUntil.clear();
    knownUntil.set(key, now() + rememberedMs);
  }
}
