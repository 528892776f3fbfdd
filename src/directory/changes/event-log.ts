import { weighNames, type Budget } from '../../scim/budget.ts';
import { sizeOf } from '../../scim/resource/size-limits.ts';
import type { JsonObject } from '../../scim/json.ts';
import { type Pushed, sizeOfPushed } from '../../scim/pushed.ts';
import type { NewEvent } from '../event.ts';
import { toGroupProfile, type Group, type GroupProfile } from '../resources/group.ts';
import { toUserProfile, type User, type UserProfile } from '../resources/user.ts';

/** Memory of an event besides its document. */
const eventBytes = 256;

interface EventLogDeps {
  getUser(id: string): User | undefined;
  /** That of the mutation in progress. */
  budget(): Budget;
}

/** The events of the mutations so far. Counts the documents that will be written for them. */
export function createEventLog({ getUser, budget }: EventLogDeps) {
  const events: NewEvent[] = [];
  const profiles = new WeakMap<User, UserProfile>();
  let count = 0;
  let before = { events: 0, count: 0 };

  return {
    events,
    count: () => count,
    begin(): void {
      before = { events: events.length, count };
    },
    rollBack(): void {
      events.length = before.events;
      ({ count } = before);
    },

    holdUser,
    /** Counts the group's document once for all events of its members. */
    holdGroup,

    emitUserEvent(type: 'user.created' | 'user.updated' | 'user.deleted', user: User): void {
      holdUser(user);
      count += 1;
      events.push({ type, data: { ...toUserProfile(user) } });
    },
    emitGroupEvent(type: 'group.created' | 'group.updated' | 'group.deleted', group: Group): void {
      holdGroup(group);
      count += 1;
      events.push({ type, data: { ...toGroupProfile(group) } });
    },
    /** The store adds the profile of a user that was not read. */
    emitMembershipEvent(type: 'group.user_added' | 'group.user_removed', userId: string, group: GroupProfile): void {
      const user = getUser(userId);
      budget().spend(3);
      budget().hold(eventBytes);
      count += 1;
      const last = events.at(-1);
      if (user) events.push({ type, userId, group, user: profileOf(user) });
      else if (last && 'userIds' in last && last.group === group && last.type === type) last.userIds.push(userId);
      else events.push({ type, userIds: [userId], group });
    },
  };

  /** One object per user: it may be in the events of thousands of groups, and is written once. */
  function profileOf(user: User): UserProfile {
    const known = profiles.get(user);
    if (known) return known;
    holdUser(user);
    const profile = toUserProfile(user);
    profiles.set(user, profile);
    return profile;
  }

  function holdUser({ resource, pushed }: User): void {
    const { emails } = resource;
    budget().spend(Array.isArray(emails) ? emails.length : 1);
    holdDocument(resource, pushed);
  }

  function holdGroup({ resource, pushed }: Pick<Group, 'resource' | 'pushed'>): void {
    holdDocument(resource, pushed);
  }

  /** Counts the work and memory of writing the document as JSON when the mutation is committed. */
  function holdDocument(resource: JsonObject, pushed: Pushed | undefined): void {
    const [whole, more] = [sizeOf(resource, budget()), sizeOfPushed(pushed, budget())];
    const [bytes, values] = [whole.bytes + more.bytes, whole.values + more.values];
    budget().spend(weighNames(Object.keys(resource).length) + (values >> 1) + (bytes >> 7));
    budget().hold(bytes + eventBytes);
  }
}
