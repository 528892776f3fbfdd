const maxRounds = 20;

/** Small batches keep locks short; repeats until nothing is left. */
export async function repeatUntilDone(doSome: (limit: number) => Promise<number>, limit: number): Promise<number> {
  let done = 0;
  for (let round = 1; round <= maxRounds; round += 1) {
    const count = await doSome(limit);
    done += count;
    if (count < limit) break;
  }
  return done;
}
