/**
 * For what directories share: where it is full, a newcomer whose queue has this size takes the place of another. Gives the longest of the
 * queues that are longer, of equal ones the last; nothing if none is.
 */
export function findLongest<Queue>(queues: Iterable<Queue>, sizeOf: (queue: Queue) => number, newcomer: number): Queue | undefined {
  let longest: Queue | undefined;
  let size = newcomer + 1;
  for (const queue of queues) {
    if (sizeOf(queue) < size) continue;
    longest = queue;
    size = sizeOf(queue);
  }
  return longest;
}
