/** Pseudo-random numbers from a seed. */
export interface Random {
  between(from: number, to: number): number;
  pick<Item>(items: readonly Item[]): Item;
  weigh<Kind extends string>(weights: Record<Kind, number>): Kind;
  /** Each of them once per round, in a random order. */
  deal<Item>(items: readonly Item[]): () => Item;
}

/** mulberry32. Each caller gets its own stream, so that none affects the numbers of another. */
export function createRandom(seed: number, stream: number): Random {
  let state = Math.imul(seed ^ Math.imul(stream + 1, 0x9e3779b1), 0x85ebca6b);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    between: (from, to) => from + next() * (to - from),
    pick: (items) => items[below(items.length)]!,
    weigh<Kind extends string>(weights: Record<Kind, number>) {
      const entries = Object.entries<number>(weights) as [Kind, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      return (entries.find(([, weight]) => (left -= weight) < 0) ?? entries[0]!)[0];
    },
    deal(items) {
      let cards = [...items];
      return () => {
        if (cards.length === 0) cards = [...items];
        return cards.splice(below(cards.length), 1)[0]!;
      };
    },
  };
}
