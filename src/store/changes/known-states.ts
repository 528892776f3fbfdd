import { countEvents } from '../../directory/event.ts';
import type { ReadSet } from '../../directory/changes/read-set.ts';
import type { Writes } from '../../directory/changes/snapshot.ts';
import type { User } from '../../directory/resources/user.ts';
import { sizeOfDocuments } from '../../scim/pushed.ts';
import { createRecentMap } from '../../shared/recent-map.ts';
import type { ReadSnapshot } from './read-snapshot.ts';
import { growthOf } from './write-changes.ts';

interface KnownState {
  /** The state after the last change, without rows. Its time and its quotas are from `readAtMs`. */
  snapshot: ReadSnapshot;
  readAtMs: number;
  /** When Postgres last had this revision. */
  confirmedAtMs: number;
  /** Users are known under this number. A new number forgets them. */
  lineage: number;
}

export interface KnownStates {
  /**
   * The snapshot that a change of these rows would read, if the directory still has this revision and the names in `wanted` are unused.
   * Undefined if the change has to read.
   */
  assume(directoryId: string, wanted: ReadSet): ReadSnapshot | undefined;
  /** Called after the commit of what was decided from the snapshot. `eventBytes` is the size of its events. */
  learn(directoryId: string, snapshot: ReadSnapshot, written: { writes: Writes; eventBytes: number; isAssumed: boolean }): void;
  forget(directoryId: string): void;
  /** An assumption was wrong: other processes may be changing the directory. For a moment all changes of it read. */
  pause(directoryId: string): void;
}

interface Options {
  /** How long a new quota or webhook may go unnoticed. A database that was replaced by an older copy of itself must be away for longer. */
  forMs?: number;
  maxDirectories?: number;
  maxUsers?: number;
  now?: () => number;
}

/** A larger user is read for each change. */
const [maxUserBytes, maxUserValues] = [4_096, 200];
const maxRows = 64;

/**
 * What this process knows of directories from its last changes of them: their state at a revision, and some users. A change that needs nothing
 * else is decided without reading. Its statement checks the revision, so it writes nothing if any process has changed the directory.
 */
export function createKnownStates({
  forMs = 5_000,
  maxDirectories = 1_000,
  maxUsers = 2_000,
  now = () => performance.now(),
}: Options = {}): KnownStates {
  const states = createRecentMap<KnownState | 'forgotten' | { pausedUntilMs: number }>(maxDirectories);
  const users = createRecentMap<User>(maxUsers);
  let lineages = 0;

  return {
    assume(directoryId, wanted) {
      const known = knownStateOf(directoryId);
      if (!known || now() - known.readAtMs > forMs || !isSimple(wanted)) return undefined;
      const found = [...wanted.userIds].flatMap((id) => users.get(`${known.lineage} ${id}`) ?? []);
      if (found.length < wanted.userIds.size) return undefined;
      return { ...known.snapshot, users: found, now: new Date(known.snapshot.now.getTime() + Math.floor(now() - known.readAtMs)) };
    },

    learn(directoryId, snapshot, { writes, eventBytes, isAssumed }) {
      if (isPaused(directoryId)) return;
      const former = knownStateOf(directoryId);
      const follows = former?.snapshot.revision === snapshot.revision;
      const { inserted, updated, deleted } = writes.users;
      const written = [...inserted, ...updated.map(({ row }) => row)];
      const keepsUsers = follows && deleted.length === 0 && written.every(isSmall);
      const next: KnownState = {
        snapshot: advance(snapshot, writes, eventBytes),
        readAtMs: now(),
        confirmedAtMs: now(),
        lineage: keepsUsers ? former.lineage : (lineages += 1),
      };
      if (isAssumed) {
        if (!follows) return;
        next.readAtMs = former.readAtMs;
        next.snapshot.now = former.snapshot.now;
      }
      states.set(directoryId, next);
      const latest = new Map([...snapshot.users, ...written].map((user) => [user.id, user]));
      for (const id of deleted) latest.delete(id);
      for (const [id, user] of latest) if (isSmall(user)) users.set(`${next.lineage} ${id}`, user);
    },

    forget: (directoryId) => isPaused(directoryId) || states.set(directoryId, 'forgotten'),
    pause: (directoryId) => states.set(directoryId, { pausedUntilMs: now() + forMs }),
  };

  function isPaused(directoryId: string): boolean {
    const state = states.get(directoryId);
    return typeof state === 'object' && 'pausedUntilMs' in state && state.pausedUntilMs > now();
  }

  function knownStateOf(directoryId: string): KnownState | undefined {
    const state = states.get(directoryId);
    return typeof state === 'object' && 'snapshot' in state && now() - state.confirmedAtMs <= forMs ? state : undefined;
  }
}

/** Whether the change only creates users, or only changes what no other resource refers to. */
function isSimple({ userIds, userNameKeys, userExternalIds, arriving, ...others }: ReadSet): boolean {
  if (Object.values(others).some((values: Set<string>) => values.size > 0)) return false;
  if (userIds.size + userNameKeys.size + userExternalIds.size > maxRows) return false;
  return userIds.size === 0 || arriving.size === 0;
}

function isSmall(user: User): boolean {
  const { bytes, values } = sizeOfDocuments(user);
  return bytes <= maxUserBytes && values <= maxUserValues;
}

function advance(snapshot: ReadSnapshot, writes: Writes, eventBytes: number): ReadSnapshot {
  const { usage } = snapshot;
  const growth = growthOf(writes);
  return {
    ...snapshot,
    revision: snapshot.revision + 1,
    lastSequence: snapshot.lastSequence + countEvents(writes.events),
    usage: {
      users: usage.users + growth.usersMore,
      groups: usage.groups + growth.groupsMore,
      memberships: usage.memberships + growth.membershipsMore,
      resourceBytes: usage.resourceBytes + growth.resourceBytesMore,
    },
    eventBytes: snapshot.eventBytes + eventBytes,
    undeliveredBytes: snapshot.undeliveredBytes + eventBytes,
    bytes: 0,
    memberCounts: new Map(),
    groupCounts: new Map(),
    rolePlaces: new Map(),
    knownOutcomes: [],
    users: [],
    groups: [],
    userNames: [],
    groupNames: [],
    memberships: [],
    pendingMembers: [],
  };
}
