export interface Cleanup {
  /** Steps run in reverse order. A step added after the cleanup runs immediately. */
  add(step: () => unknown): void;
  /** A step that fails does not stop the others. */
  run(): Promise<void>;
}

/** Starts all of something or nothing: if `start` fails, what it has opened is closed again. */
export async function withCleanup<Started>(start: (cleanup: Cleanup) => Promise<Started>): Promise<Started> {
  const cleanup = createCleanup();
  try {
    return await start(cleanup);
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}

function createCleanup(): Cleanup {
  const steps: (() => unknown)[] = [];
  let hasRun = false;
  return {
    add: (step) => (hasRun ? void runQuietly(step) : void steps.push(step)),
    async run() {
      hasRun = true;
      for (let step = steps.pop(); step; step = steps.pop()) await runQuietly(step);
    },
  };
}

/** Its error would hide the one that led here. */
async function runQuietly(step: () => unknown): Promise<void> {
  try {
    await step();
  } catch {}
}
