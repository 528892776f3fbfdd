import { createHash } from 'node:crypto';
import { newId } from '../../src/ids.ts';

/** How many rows a large installation has, and which directory each belongs to. The first directory has a tenth of all users and events. */
export interface Sizes {
  directories: number;
  users: number;
  events: number;
}

export const secret = 'bench-secret-of-32-characters-long';
/** The period that the stored events span. Retention keeps 7 days of it. */
export const days = 8;
export const dayMs = 86_400_000;
/** One of this many events has its own delivery in the log. */
export const eventsPerDelivery = 4;
export const eventsPerOutcome = 8;
/** Group commits share a transaction. */
export const eventsPerTransaction = 20;
export const membersPerGroup = 50;
export const requestsPerDirectory = 10;
const undelivered = 50;

export function createLayout({ directories, users, events }: Sizes) {
  const ids = Array.from({ length: directories }, () => newId());
  const endpointIds = Array.from({ length: directories }, () => newId());
  const others = Math.max(1, directories - 1);
  const directoryOfEvent = (event: number) =>
    directories === 1 || event % 10 === 0 ? 0 : 1 + ((event - Math.floor(event / 10) - 1) % others);
  const eventsOf = Array.from({ length: directories }, () => 0);
  for (let event = 0; event < events; event += 1) eventsOf[directoryOfEvent(event)]! += 1;
  const usersOf = (directory: number) =>
    directories === 1 ? users : directory === 0 ? Math.floor(users / 10) : Math.floor((users * 0.9) / others);
  return {
    sizes: { directories, users, events },
    ids,
    endpointIds,
    directoryOfEvent,
    eventsOf: (directory: number) => eventsOf[directory]!,
    usersOf,
    groupsOf: (directory: number) => Math.max(1, Math.round(usersOf(directory) / 100)),
    /** Every fiftieth directory has a paused webhook and a backlog. */
    isPaused: (directory: number) => directory % 50 === 1,
    ackedOf: (directory: number) => eventsOf[directory]! - (directory % 50 === 1 ? Math.min(undelivered, eventsOf[directory]!) : 0),
  };
}

export type Layout = ReturnType<typeof createLayout>;

export const userTag = (directory: number, user: number) => `d${directory}u${user}`;
export const tenantOf = (directory: number) => `tenant-${Math.floor(directory / 8)}`;
export const productOf = (directory: number) => `product-${directory % 4}`;

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
/** Ordered by time, as the IDs of the service are. */
export const userId = (directory: number, user: number) => `01990000-${hex(directory, 4)}-7000-8000-${hex(user, 12)}`;
export const groupId = (directory: number, group: number) => `01990001-${hex(directory, 4)}-7000-8000-${hex(group, 12)}`;
export const deliveryId = (event: number) => `msg_${createHash('sha256').update(String(event)).digest('base64url').slice(0, 27)}`;
