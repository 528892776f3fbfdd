/**
 * Finds the longest queue, the last one of equals. Undefined if all are shorter than `minSize`, the length that the newcomer's queue would
 * have.
 */
export function findLongestQueue<Queue>(queues: Iterable<Queue>, sizeOf: (queue: Queue) => number, minSize: number): Queue | undefined {
  let longest: Queue | undefined;
  let size = minSize;
  for (const queue of queues) {
    if (sizeOf(queue) < size) continue;
    longest = queue;
    size = sizeOf(queue);
  }
  return longest;
}
