import { setImmediate } from 'node:timers/promises';

const maxMs = 20;

/** To be awaited between the steps of long work: lets others have their turn when 20 ms have passed since the last one. */
export function createPause(now: () => number = () => performance.now()): () => Promise<void> | undefined {
  let sinceMs = now();
  return () => (now() - sinceMs < maxMs ? undefined : pause());

  async function pause() {
    await setImmediate();
    sinceMs = now();
  }
}
