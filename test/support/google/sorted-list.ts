export interface SortedList<Item> {
  after(key: string | undefined, limit: number): { items: Item[]; lastKey: string | undefined; isLast: boolean };
  /** Must be called after the items have changed. */
  forget(): void;
}

/** Positions are keys, so they stay valid when items are added or removed. */
export function createSortedList<Item>(items: () => Iterable<Item>, keyOf: (item: Item) => string): SortedList<Item> {
  let sorted: { key: string; item: Item }[] | undefined;

  return {
    after(key, limit) {
      sorted ??= Array.from(items(), (item) => ({ key: keyOf(item), item })).sort((one, other) => (one.key < other.key ? -1 : 1));
      const from = key === undefined ? 0 : findAfter(sorted, key);
      const chosen = sorted.slice(from, from + limit);
      return { items: chosen.map(({ item }) => item), lastKey: chosen.at(-1)?.key, isLast: from + limit >= sorted.length };
    },
    forget: () => void (sorted = undefined),
  };
}

function findAfter(sorted: { key: string }[], key: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]!.key <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
