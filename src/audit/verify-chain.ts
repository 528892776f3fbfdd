import { createHash } from 'node:crypto';
import type { ChainLink, ChainedEntry } from './ports.ts';

/** The hash of an entry: of the hash before it, its position as eight bytes, and its JSON text. */
function hashEntry(previous: string, { position, entry }: Pick<ChainedEntry, 'position' | 'entry'>): string {
  const place = Buffer.alloc(8);
  place.writeBigInt64BE(BigInt(position));
  return createHash('sha256').update(Buffer.from(previous, 'hex')).update(place).update(JSON.stringify(entry)).digest('hex');
}

/** Why an entry does not fit. */
export interface ChainProblem {
  position: number;
  id: string | undefined;
  reason: string;
}

/** Follows the chain from a known link. `next` returns what is wrong with an entry; the first problem ends the chain. */
export function createChainVerifier(start: ChainLink) {
  let { position, hash } = start;
  return {
    next(link: ChainedEntry): ChainProblem | undefined {
      const place = { position: link.position, id: link.entry.id };
      if (link.position > position + 1) return { ...place, reason: `The entries ${position + 1} to ${link.position - 1} are missing.` };
      if (link.position <= position) return { ...place, reason: `Entry ${link.position} comes after entry ${position}.` };
      if (hashEntry(hash, link) !== link.hash) return { ...place, reason: `Entry ${link.position} was changed, or the entry before it.` };
      ({ position, hash } = link);
      return undefined;
    },
    /** The last entry that fits. */
    reached: (): ChainLink => ({ position, hash }),
  };
}
