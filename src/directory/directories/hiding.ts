import { lowestId } from '../../ids.ts';
import type { InactiveUsers } from './directory.ts';

/**
 * Which inactive users do not exist in events: those whose keys are in this range. While `inactive_users` changes in batches, the new value
 * applies to the first users already, and the former one to the others.
 */
export interface Hiding {
  /** Exclusive. */
  after: string;
  /** Inclusive. */
  upto: string;
}

const lastKey = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** `upto`: the last user to whom `inactiveUsers` applies; null: to all of them. Undefined: nobody is hidden. */
export function toHiding(inactiveUsers: InactiveUsers, upto: string | null): Hiding | undefined {
  if (inactiveUsers === 'delete') return { after: lowestId, upto: upto ?? lastKey };
  return upto === null ? undefined : { after: upto, upto: lastKey };
}

/** Keys are in the order of their text. */
export const hides = (hiding: Hiding | undefined, { id, active }: { id: string; active: boolean }): boolean =>
  hiding !== undefined && !active && id > hiding.after && id <= hiding.upto;
