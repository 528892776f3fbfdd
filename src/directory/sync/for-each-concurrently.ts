const concurrency = 4;

/** If one item fails, no other starts. It rejects once all that were started have ended. */
export async function forEachConcurrently(items: string[], work: (item: string) => Promise<void>): Promise<void> {
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
  const ended = await Promise.allSettled(Array.from({ length: concurrency }, lane));
  const failure = ended.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
}
