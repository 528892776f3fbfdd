import type { EventType } from '../../directory/event.ts';

const everyType: Record<EventType, true> = {
  'user.created': true,
  'user.updated': true,
  'user.deleted': true,
  'group.created': true,
  'group.updated': true,
  'group.deleted': true,
  'group.user_added': true,
  'group.user_removed': true,
};
export const eventTypes = Object.keys(everyType);
