/**
 * For what directories share: where it is full, a newcomer takes the place of another. Gives the longest queue, of equal ones the last; nothing
 * if all are shorter than the newcomer's would be then.
 */
export function findLongest<Queue>(queues: Iterable<Queue>, sizeOf: (queue: Queue) => number, minSize: number): Queue | undefined {
  let longest: Queue | undefined;
  let size = minSize;
  for (const queue of queues) {
    if (sizeOf(queue) < size) continue;
    longest = queue;
    size = sizeOf(queue);
  }
  return longest;
}
