import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createMemoryCounters } from '../../src/limits/memory-counters.ts';
import { createWindows } from '../../src/limits/windows.ts';

export interface KeyMemory {
  title: string;
  heapMiB: number;
}

const limit = { rps: 1_000, rpm: 10_000 };

/** Measures the memory that many addresses use after one request each. */
export async function measureKeyMemory(keys: number): Promise<KeyMemory[]> {
  return [
    { title: `${keys} keys at the same time`, heapMiB: await fill(keys, () => 0) },
    { title: `${keys} keys in 10 minutes`, heapMiB: await fill(keys, (index) => (index / keys) * 600_000) },
    { title: 'every key with its own counter', heapMiB: await fill(keys, () => 0, Number.POSITIVE_INFINITY) },
  ];
}

async function fill(keys: number, at: (index: number) => number, maxKeys?: number): Promise<number> {
  const before = readHeap();
  let nowMs = 1_700_000_000_000;
  const counters = createMemoryCounters({ ...(maxKeys !== undefined && { maxKeys }) });
  const windows = createWindows({ counters, now: () => nowMs });
  for (let index = 0; index < keys; index += 1) {
    nowMs = 1_700_000_000_000 + at(index);
    await windows.take([{ key: `address flood 10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`, limit }]);
  }
  const heap = readHeap() - before;
  // Keeps the counters alive until here.
  await windows.take([{ key: 'last', limit }]);
  return heap / 2 ** 20;
}

function readHeap(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}
