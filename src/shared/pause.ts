import { setImmediate } from 'node:timers/promises';

const maxMs = 20;

/**
 * To be awaited between the steps of long work: lets others have their turn when 20 ms have passed since the last one. Then the check is made
 * too, which throws if nobody needs the work any more.
 */
export type Pause = () => Promise<void> | undefined;

export function createPause(check?: () => void): Pause {
  let sinceMs = performance.now();
  return () => (performance.now() - sinceMs < maxMs ? undefined : pause());

  async function pause() {
    await setImmediate();
    check?.();
    sinceMs = performance.now();
  }
}

/**
 * Does something with each of very many items; the steps are small, so the clock is read now and then only. Gives a promise only if there was
 * a pause: to await nothing takes longer than to do little.
 */
export function forEachPausing<Item>(items: Iterable<Item>, pause: Pause, step: (item: Item) => void): Promise<void> | undefined {
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

/** As `JSON.stringify`, with pauses between the items: of small ones, many are written at once. One item is written without a promise. */
export function stringifyPausing(items: unknown[], pause: Pause): string | Promise<string> {
  return items.length === 1 ? JSON.stringify(items) : stringifyMany(items, pause);
}

async function stringifyMany(items: unknown[], pause: Pause): Promise<string> {
  const written: string[] = [];
  let count = 1;
  for (let from = 0; from < items.length;) {
    const text = JSON.stringify(items.slice(from, from + count)).slice(1, -1);
    written.push(text);
    from += count;
    count = Math.ceil(Math.min(count * Math.min(16, textAtOnce / text.length), maxAtOnce));
    const pausing = pause();
    if (pausing) await pausing;
  }
  return `[${written.join(',')}]`;
}
const [textAtOnce, maxAtOnce] = [32_768, 256];
