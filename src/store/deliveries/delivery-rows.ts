import type { DeliveryKind, DeliveryStatus, LoggedDelivery } from '../../directory/delivery/delivery-log.ts';
import { ofMicroseconds } from '../sql/microseconds.ts';

export interface DeliveryRow {
  id: string;
  directory_id: string;
  kind: DeliveryKind;
  replay_id: string | null;
  status: DeliveryStatus;
  from_sequence: number;
  to_sequence: number;
  event_count: number;
  event_types: string[];
  attempts: number;
  failures: number;
  next_attempt_at: Date;
  bytes: number;
  sha256: string;
  logged: boolean;
  created_at: Date;
  first_attempt_at: Date | null;
  done_at: Date | null;
}

export const columns = [
  'id',
  'directory_id',
  'kind',
  'replay_id',
  'status',
  'from_sequence',
  'to_sequence',
  'event_count',
  'attempts',
  'failures',
  'next_attempt_at',
  'bytes',
  'sha256',
  'logged',
  'created_at',
  'first_attempt_at',
  'done_at',
];

/** Newest first. The deliveries of one statement have one time. */
export const isAfter = (batch: string) =>
  `(${batch}.created_at, ${batch}.from_sequence, ${batch}.id) < (${ofMicroseconds(':at')}, cast(:sequence as bigint), :id)`;

const maxReadTypes = 20;
/** Of the first events, since a skipped range may have millions. Without those whose rows are deleted. */
export const eventTypes = `array(select distinct type from (
    select s.type from stored_events s where s.directory_id = webhook_batches.directory_id
      and s.sequence between webhook_batches.from_sequence and webhook_batches.to_sequence order by s.sequence limit ${maxReadTypes}
  ) first order by type) as event_types`;

export const toDelivery = (row: DeliveryRow): LoggedDelivery => ({
  id: row.id,
  directoryId: row.directory_id,
  kind: row.kind,
  replayId: row.replay_id ?? undefined,
  status: row.status,
  fromSequence: row.from_sequence,
  toSequence: row.to_sequence,
  eventCount: row.event_count,
  eventTypes: row.event_types,
  attempts: row.attempts,
  failures: row.failures,
  nextAttemptAt: row.status === 'pending' ? row.next_attempt_at : undefined,
  bytes: row.bytes,
  sha256: row.sha256,
  logged: row.logged,
  createdAt: row.created_at,
  firstAttemptAt: row.first_attempt_at ?? undefined,
  doneAt: row.done_at ?? undefined,
});
