import { expect } from '@jest/globals';
import type { Knex } from 'knex';
import { Webhook } from 'standardwebhooks';
import type { Received, Receiver } from './receiver.ts';
import type { TestDirectory } from './service.ts';
import { until } from './until.ts';
import type { Acknowledged } from './writers.ts';

export const receivedFor = ({ received }: Receiver, { id }: TestDirectory) => received.filter(({ event }) => event.directory_id === id);

/** Waits until all events of the directory are delivered, and returns the last sequence. */
export async function untilDelivered(db: Knex, { id }: TestDirectory, timeoutMs = 40_000): Promise<number> {
  const { lastSequence } = await until(
    async () => {
      const [row] = await db('directories')
        .join('webhook_endpoints', 'webhook_endpoints.directory_id', 'directories.id')
        .where('directories.id', id)
        .select<{ lastSequence: number; acked: number }[]>({ lastSequence: 'last_sequence', acked: 'acked_sequence' });
      return row?.lastSequence === row?.acked && row;
    },
    { timeoutMs, everyMs: 100 },
  );
  return lastSequence;
}

/** The guarantees for a receiver: no gap, the order of the changes, and identical repetitions. */
export function expectInOrder(received: Received[], directory: TestDirectory, lastSequence: number): void {
  const steps = received.map(({ event }, index) => event.sequence - (received[index - 1]?.event.sequence ?? 0));
  expect(steps.filter((step) => step !== 0 && step !== 1)).toEqual([]);
  expect(received.at(-1)?.event.sequence).toBe(lastSequence);
  const texts = new Map<unknown, string>();
  const sequences = new Map<unknown, number>();
  for (const { headers, text, event } of received) {
    expect(text).toBe(texts.get(headers['webhook-id']) ?? text);
    texts.set(headers['webhook-id'], text);
    sequences.set(headers['webhook-id'], event.sequence);
    new Webhook(directory.webhookSecret).verify(text, headers as Record<string, string>);
  }
  expect([...sequences.values()]).toEqual(Array.from({ length: lastSequence }, (_, index) => index + 1));
}

/** Each acknowledged user is stored once, under the id of its response, and has one event. No sequence is missing. */
export async function expectStored(db: Knex, { id: directoryId }: TestDirectory, acknowledged: Acknowledged[]): Promise<void> {
  const users = await db('users')
    .where({ directory_id: directoryId })
    .select<{ id: string; userName: string }[]>({ id: 'id', userName: 'user_name' });
  const ids = new Map(users.map(({ id, userName }) => [userName, id]));
  expect(users).toHaveLength(ids.size);
  const mine = acknowledged.filter((user) => user.directoryId === directoryId);
  expect(mine.filter(({ id, userName }) => ids.get(userName) !== id)).toEqual([]);
  // The bodies of delivered events may be deleted already.
  const events = await db('stored_events')
    .where({ directory_id: directoryId })
    .orderBy('sequence')
    .select<{ sequence: number; user: string }[]>({ sequence: 'sequence', user: 'user_id' });
  expect(events.map(({ sequence }) => sequence)).toEqual(users.map((_, index) => index + 1));
  expect(new Set(events.map(({ user }) => user))).toEqual(new Set(users.map(({ id }) => id)));
}
