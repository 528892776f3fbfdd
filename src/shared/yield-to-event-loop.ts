import { setImmediate } from 'node:timers/promises';

const defaultMaxMs = 20;

/**
 * Awaited between the steps of long work: yields to the event loop if `maxMs` have passed since it last did, then runs the check, which
 * throws if the work is no longer needed.
 */
export type YieldToEventLoop = () => Promise<void> | undefined;

export function createYieldToEventLoop(check?: () => void, maxMs = defaultMaxMs): YieldToEventLoop {
  let sinceMs = performance.now();
  return () => (performance.now() - sinceMs < maxMs ? undefined : pause());

  async function pause() {
    await setImmediate();
    check?.();
    sinceMs = performance.now();
  }
}

/**
 * Runs a small step for each of very many items, and reads the clock only every 64 items. Returns a promise only if it yielded: awaiting
 * nothing would take longer than the steps.
 */
export function forEachYielding<Item>(
  items: Iterable<Item>,
  pause: YieldToEventLoop,
  step: (item: Item) => void,
): Promise<void> | undefined {
  return takeFrom(items[Symbol.iterator]());

  function takeFrom(rest: Iterator<Item>): Promise<void> | undefined {
    for (let count = 1; ; count += 1) {
      const next = rest.next();
      if (next.done) return undefined;
      step(next.value);
      const pausing = count % 64 === 0 ? pause() : undefined;
      if (pausing) return pausing.then(() => takeFrom(rest));
    }
  }
}

/**
 * `JSON.stringify` for an array, with pauses between items. Small items are written many at a time. A single item is written without a
 * promise.
 */
export function stringifyYielding(items: unknown[], pause: YieldToEventLoop): string | Promise<string> {
  return items.length === 1 ? JSON.stringify(items) : stringifyMany(items, pause);
}

async function stringifyMany(items: unknown[], pause: YieldToEventLoop): Promise<string> {
  const written: string[] = [];
  let count = 1;
  for (let from = 0; from < items.length;) {
    const text = JSON.stringify(items.slice(from, from + count)).slice(1, -1);
    written.push(text);
    from += count;
    count = Math.ceil(Math.min(count * Math.min(16, targetChars / text.length), maxItems));
    const pausing = pause();
    if (pausing) await pausing;
  }
  return `[${written.join(',')}]`;
}
const [targetChars, maxItems] = [32_768, 256];
