import { weighNames, type Budget } from '../../scim/budget.ts';
import { type Documents, sizeOfDocuments } from '../../scim/pushed.ts';
import type { EventCause, EventType, NewEvent, UserUpdate } from '../event.ts';
import { toGroupProfile, type Group, type GroupProfile } from '../resources/group.ts';
import { toUserProfile, type User, type UserProfile } from '../resources/user.ts';
import type { JsonObject } from '../../scim/json.ts';
import { findPreviousAttributes } from './previous-attributes.ts';

/** Memory of an event besides its document. */
const eventBytes = 256;

interface EventLogDeps {
  getUser(id: string): User | undefined;
  /** That of the mutation in progress. */
  budget(): Budget;
  reason: EventCause;
}

/** The events of the mutations so far. Counts the documents that will be written for them. */
export function createEventLog({ getUser, budget, reason }: EventLogDeps) {
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
    holdGroup: holdDocuments,

    emitUserEvent(type: 'user.created' | 'user.deleted', user: User): void {
      holdUser(user);
      emit(type, toUserProfile(user));
    },
    emitUserUpdate(type: UserUpdate, former: User, user: User): void {
      holdUser(user);
      const profile = toUserProfile(user);
      emit(type, profile, findPreviousAttributes(toUserProfile(former), profile, budget()));
    },
    emitGroupEvent(type: 'group.created' | 'group.deleted', group: Group): void {
      holdDocuments(group);
      emit(type, toGroupProfile(group));
    },
    /** `former` is the same group if only the groups in it changed. */
    emitGroupUpdate(former: Group, group: Group): void {
      holdDocuments(group);
      const profile = toGroupProfile(group);
      emit('group.updated', profile, findPreviousAttributes(toGroupProfile(former), profile, budget()));
    },
    /** The store adds the profile of a user that was not read. */
    emitMembershipEvent(type: 'group.user_added' | 'group.user_removed', userId: string, group: GroupProfile): void {
      const user = getUser(userId);
      budget().spend(3);
      budget().hold(eventBytes);
      count += 1;
      const last = events.at(-1);
      if (user) events.push({ type, reason, userId, group, user: profileOf(user) });
      else if (last && 'userIds' in last && last.group === group && last.type === type) last.userIds.push(userId);
      else events.push({ type, reason, userIds: [userId], group });
    },
  };

  function emit(type: EventType, profile: UserProfile | GroupProfile, previous?: JsonObject): void {
    count += 1;
    if (previous) holdDocuments({ resource: previous });
    events.push({ type, reason, data: { ...profile, ...(previous && { previous_attributes: previous }) } });
  }

  /** One object per user: it may be in the events of thousands of groups, and is written once. */
  function profileOf(user: User): UserProfile {
    const known = profiles.get(user);
    if (known) return known;
    holdUser(user);
    const profile = toUserProfile(user);
    profiles.set(user, profile);
    return profile;
  }

  function holdUser(user: User): void {
    const { emails } = user.resource;
    budget().spend(Array.isArray(emails) ? emails.length : 1);
    holdDocuments(user);
    if (user.customAttributes) holdDocuments({ resource: user.customAttributes });
    if (user.roles) holdDocuments({ resource: { roles: user.roles } });
  }

  /** Counts the work and memory of writing the documents as JSON when the mutation is committed. */
  function holdDocuments(documents: Documents): void {
    const { bytes, values } = sizeOfDocuments(documents, budget());
    budget().spend(weighNames(Object.keys(documents.resource).length) + (values >> 1) + (bytes >> 7));
    budget().hold(bytes + eventBytes);
  }
}
