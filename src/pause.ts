import { setImmediate } from 'node:timers/promises';

const maxMs = 20;

/** To be awaited between the steps of long work: lets others have their turn when 20 ms have passed since the last one. */
export type Pause = () => Promise<void> | undefined;

export function createPause(now: () => number = () => performance.now()): Pause {
  let sinceMs = now();
  return () => (now() - sinceMs < maxMs ? undefined : pause());

  async function pause() {
    await setImmediate();
    sinceMs = now();
  }
}

/** Does something with each of very many items; the steps are small, so the clock is read now and then only. */
export async function forEachPausing<Item>(items: Iterable<Item>, pause: Pause, step: (item: Item) => void): Promise<void> {
  let count = 0;
  for (const item of items) {
    step(item);
    count += 1;
    if (count % 64 !== 0) continue;
    const pausing = pause();
    if (pausing) await pausing;
  }
}

/** As `JSON.stringify`, with pauses between the items. */
export async function stringifyPausing(items: unknown[], pause: Pause): Promise<string> {
  const written: string[] = [];
  for (const item of items) {
    written.push(JSON.stringify(item));
    const pausing = pause();
    if (pausing) await pausing;
  }
  return `[${written.join(',')}]`;
}
