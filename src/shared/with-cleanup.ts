export interface Closers {
  /** Runs in reverse order. What is added after `closeAll` is closed immediately. */
  add(close: () => unknown): void;
  /** A failing close does not prevent the others. */
  closeAll(): Promise<void>;
}

/** Starts several parts: if a later step fails, everything that earlier steps opened is closed. */
export async function startWhole<Started>(start: (closers: Closers) => Promise<Started>): Promise<Started> {
  const closers = createClosers();
  try {
    return await start(closers);
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

function createClosers(): Closers {
  const closers: (() => unknown)[] = [];
  let isClosed = false;
  return {
    add: (close) => (isClosed ? void quietly(close) : void closers.push(close)),
    async closeAll() {
      isClosed = true;
      for (let close = closers.pop(); close; close = closers.pop()) await quietly(close);
    },
  };
}

/** Errors are dropped: the failure that led here is the one to report. */
async function quietly(close: () => unknown): Promise<void> {
  try {
    await close();
  } catch {}
}
