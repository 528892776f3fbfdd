import { setImmediate } from 'node:timers/promises';
import { createFairSemaphore } from '../../shared/fair-semaphore.ts';
import { type Hiding, hides } from '../directories/hiding.ts';
import type { RowPosition, UserStore } from '../ports.ts';
import type { User } from '../resources/user.ts';

/** What every preview counts. */
export interface PreviewCounts {
  users: number;
  /** How many of them were looked at: the newest ones. */
  checked: number;
  /** How many of these would be told by a `user.updated`. */
  changed: number;
  /** How many of all users that would be, if the others are like these. */
  estimated: number;
  /** Whether there are users that were not looked at. */
  isPartial: boolean;
}

export interface PreviewOptions {
  /** How many users to show. */
  limit: number;
  /** Aborted when the caller leaves. */
  signal: AbortSignal;
}

interface Directory {
  users: number;
  hiding: Hiding | undefined;
}

interface Look {
  /** Reads what else a page needs, and returns whether a user of it would look different. */
  beginPage(users: User[]): Promise<(user: User) => boolean> | ((user: User) => boolean);
  /** Default: yes. */
  mayContinue?(): boolean;
}

export type PreviewedUsers = Pick<UserStore, 'listAcross'>;

const maxChecked = 1_000;
const usersPerPage = 100;

/** Looks at the newest users of a directory. One preview runs at a time: others wait for their turn. */
export function createPreviewNewest({ name, users }: { name: string; users: PreviewedUsers }) {
  const turns = createFairSemaphore({ name, concurrency: 1, perDirectory: 1, maxWaiting: 100, maxWaitingPerDirectory: 5 });

  return async function previewNewest(directoryId: string, directory: Directory, look: Look, signal: AbortSignal): Promise<PreviewCounts> {
    const leave = await turns.enter(directoryId, signal);
    try {
      return await preview(directoryId, directory, look, signal);
    } finally {
      leave();
    }
  };

  async function preview(
    directoryId: string,
    { users: total, hiding }: Directory,
    look: Look,
    signal: AbortSignal,
  ): Promise<PreviewCounts> {
    const { mayContinue = () => true } = look;
    let [checked, changed] = [0, 0];
    let after: RowPosition | undefined;
    do {
      const page = await users.listAcross([directoryId], {
        page: after ? { limit: usersPerPage, after } : { limit: usersPerPage, offset: 0 },
      });
      const wouldChange = await look.beginPage(page.resources);
      for (const user of page.resources) {
        // A computation may take milliseconds: others come first.
        await setImmediate();
        signal.throwIfAborted();
        checked += 1;
        if (wouldChange(user) && !hides(hiding, user)) changed += 1;
        if (!mayContinue()) break;
      }
      after = page.next;
    } while (after && checked < maxChecked && mayContinue());
    const isPartial = after !== undefined || checked < total;
    const estimated = isPartial && checked > 0 ? Math.round((changed / checked) * total) : changed;
    return { users: total, checked, changed, estimated, isPartial };
  }
}
