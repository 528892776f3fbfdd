export interface Closers {
  /** Called in the reverse order; what comes when all is closed already is closed at once. */
  add(close: () => unknown): void;
  /** What can not be closed does not keep the rest open. */
  closeAll(): Promise<void>;
}

/** Starts something whole, or nothing: what the steps before a failure have opened is closed again. */
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

/** The failure that led here is the one to be told. */
async function quietly(close: () => unknown): Promise<void> {
  try {
    await close();
  } catch {}
}
