import type { InProcessCalls } from '../app/in-process-calls.ts';
import type { Rollcall } from '../library/index.ts';
import { orThrow, toResponse } from './response.ts';
import type { DirectorySyncEvent, EventCallback } from './types.ts';

interface QueuedEvent {
  id: string;
  event: DirectorySyncEvent;
  retry_count: number;
  status: 'PENDING' | 'PROCESSING' | 'FAILED';
  created_at: string;
}

export interface EventProcessor {
  /** Rollcall has queued each event before it passes it to a callback: returns its place in the queue. */
  push(event: DirectorySyncEvent): Promise<QueuedEvent>;
  /** Starts delivering all queued events. */
  process(): Promise<void>;
  /** The events that receivers have not acknowledged, the oldest first. Reading them does not change them. */
  fetchNextBatch(offset: number, limit: number): Promise<QueuedEvent[]>;
  /** Does nothing: `webhookBatchCronInterval` schedules deliveries. */
  scheduleWorker(): Promise<void>;
}

export interface Events {
  /** Does nothing: Rollcall delivers webhooks itself. */
  callback: EventCallback;
  batch: EventProcessor;
}

const statusOf = { pending: 'PENDING', open: 'PROCESSING', failed: 'FAILED' } as const;
const maxBatch = 50;

export const createEvents = ({
  sync,
  listQueuedEvents,
}: {
  sync: Rollcall;
  listQueuedEvents: InProcessCalls['listQueuedEvents'];
}): Events => ({
  callback: () => Promise.resolve(),
  batch: {
    push(event) {
      const { id, occurred_at: at } = event;
      if (id === undefined || at === undefined)
        return Promise.reject(new Error('events.batch.push: the event is none that Rollcall emitted, and cannot be queued.'));
      return Promise.resolve({ id, event, retry_count: 0, status: 'PENDING', created_at: at });
    },
    async process() {
      orThrow(toResponse(await sync.deliveries.processQueued()));
    },
    async fetchNextBatch(offset, limit) {
      const queued = await listQueuedEvents({ offset: Math.max(0, offset), limit: limit > 0 && limit < maxBatch ? limit : maxBatch });
      return queued.map(({ event, failures, state }) => ({
        id: event.id,
        event: event as unknown as DirectorySyncEvent,
        retry_count: failures,
        status: statusOf[state],
        created_at: event.occurred_at,
      }));
    },
    scheduleWorker: () => Promise.resolve(),
  },
});
