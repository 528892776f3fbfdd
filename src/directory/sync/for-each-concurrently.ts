const listsAtOnce = 4;

/** All lanes come to rest before a failure is told: nothing is to go on behind its caller's back. */
export async function inLanes(items: string[], work: (item: string) => Promise<void>): Promise<void> {
  const waiting = [...items];
  let failed = false;
  const lane = async () => {
    for (let item = waiting.shift(); item !== undefined && !failed; item = waiting.shift()) {
      await work(item).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: listsAtOnce }, lane));
  const failure = ended.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
}
