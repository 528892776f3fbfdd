import { setImmediate as breathe } from 'node:timers/promises';
import type { Logger } from '../../logger.ts';
import type { RecordedRequestStore } from '../ports.ts';
import { createNewestRequests } from './newest-requests.ts';
import type { RecordedRequest, SentRequest } from './recorded-request.ts';
import { toRecordedRequest } from './to-recorded.ts';
import { toLoggableMessage } from '../../shared/loggable-message.ts';
import { waitAtMost } from '../../shared/timeout.ts';

export interface RequestRecorderDeps {
  store: Pick<RecordedRequestStore, 'add'>;
  log: Logger;
  everyMs?: number;
  maxBytes?: number;
}

export interface RequestRecorder {
  /** Queues the request to be written later. */
  record(request: SentRequest): void;
  /** Writes the queued requests, for at most two seconds. */
  stop(): Promise<void>;
}

const stopTimeoutMs = 2_000;
const convertedPerPause = 10;

/**
 * Writes requests in the background, one statement every two seconds: a slow database occupies one connection and a limited amount of memory.
 * Requests that cannot be written are lost, also in a crash.
 */
export function createRequestRecorder({ store, log, everyMs = 2_000, maxBytes = 16_777_216 }: RequestRecorderDeps): RequestRecorder {
  const newest = createNewestRequests(maxBytes);
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let isStopped = false;
  let isFailing = false;

  return {
    record(request) {
      newest.add(request);
      plan();
    },

    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await waitAtMost(stopTimeoutMs, writeRest());
    },
  };

  function plan() {
    if (isStopped || writing || newest.isEmpty()) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      writing = write().finally(() => {
        writing = undefined;
        plan();
      });
    }, everyMs).unref();
  }

  async function writeRest() {
    await writing;
    await write();
  }

  async function write(): Promise<void> {
    try {
      const recorded = await convertAll(newest.takeAll());
      if (recorded.length > 0) await store.add(recorded);
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn({ error: toLoggableMessage(error) }, 'could not store recorded requests');
      isFailing = true;
    }
  }
}

/** Yields to the event loop in between. */
async function convertAll(requests: SentRequest[]): Promise<RecordedRequest[]> {
  const recorded: RecordedRequest[] = [];
  for (const request of requests) {
    recorded.push(toRecordedRequest(request));
    if (recorded.length % convertedPerPause === 0) await breathe();
  }
  return recorded;
}
