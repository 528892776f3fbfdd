import type { Delivery, DeliveryAttempt, DirectoryEvent, Replay, SyncRun } from '../../client/generated/types.ts';
import { type Tone, countOf } from './words.ts';

interface Wording {
  word: string;
  tone: Tone;
}

export const deliveryStatuses: Record<Delivery['status'], Wording> = {
  pending: { word: 'Pending', tone: 'wait' },
  exhausted: { word: 'Given up', tone: 'bad' },
  skipped: { word: 'Skipped', tone: 'bad' },
  delivered: { word: 'Delivered', tone: 'good' },
  replayed: { word: 'Replayed', tone: 'good' },
  split: { word: 'Split', tone: 'off' },
  canceled: { word: 'Canceled', tone: 'off' },
};

export const outcomes: Record<DeliveryAttempt['outcome'], Wording> = {
  success: { word: 'Acknowledged', tone: 'good' },
  http_error: { word: 'Rejected', tone: 'bad' },
  timeout: { word: 'Timeout', tone: 'bad' },
  dns: { word: 'Host not found', tone: 'bad' },
  tls: { word: 'TLS failed', tone: 'bad' },
  connect: { word: 'Not reached', tone: 'bad' },
  blocked: { word: 'Blocked address', tone: 'bad' },
  aborted: { word: 'Interrupted', tone: 'wait' },
  in_flight: { word: 'In flight', tone: 'wait' },
};

export const syncStates: Record<SyncRun['state'], Wording> = {
  queued: { word: 'Queued', tone: 'wait' },
  running: { word: 'Running', tone: 'wait' },
  needs_confirmation: { word: 'Needs confirmation', tone: 'bad' },
  succeeded: { word: 'Succeeded', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
  canceled: { word: 'Canceled', tone: 'off' },
};

export const replayStatuses: Record<Replay['status'], Wording> = {
  running: { word: 'Running', tone: 'wait' },
  done: { word: 'Done', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
  canceled: { word: 'Canceled', tone: 'off' },
};

export const statusTone = (status: number): Tone => (status < 400 ? 'good' : 'bad');

export const eventNames: Record<DirectoryEvent['event'], string> = {
  'user.created': 'User created',
  'user.updated': 'User updated',
  'user.deleted': 'User deleted',
  'user.deactivated': 'User deactivated',
  'user.reactivated': 'User reactivated',
  'group.created': 'Group created',
  'group.updated': 'Group updated',
  'group.deleted': 'Group deleted',
  'group.user_added': 'User added to group',
  'group.user_removed': 'User removed from group',
};

export const eventName = (type: string): string => (eventNames as Record<string, string>)[type] ?? type;

/** `User created`, or `User created and 2 more types`. */
export const describeTypes = ([first, ...others]: string[]): string => {
  if (first === undefined) return 'Events';
  return others.length === 0 ? eventName(first) : `${eventName(first)} and ${countOf(others.length, 'more type')}`;
};

export const wordsOf = (wordings: Record<string, Wording>): Record<string, string> =>
  Object.fromEntries(Object.entries(wordings).map(([value, { word }]) => [value, word]));

/** What is none of the known values is no filter: somebody edited the address. */
export const oneOf = <Value extends string>(value: string | null, known: Record<Value, unknown>): Value | undefined =>
  value !== null && Object.hasOwn(known, value) ? (value as Value) : undefined;

export const personName = (user: { first_name: string; last_name: string; email: string; user_name?: string; id: string }): string =>
  `${user.first_name} ${user.last_name}`.trim() || user.user_name || user.email || user.id;

export const sizeOf = (bytes: number): string =>
  bytes < 1_024 ? `${bytes} B` : bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`;
