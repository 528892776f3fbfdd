import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../logger.ts';
import type { RecordedRequestStore } from '../ports.ts';
import { createNewestRequests } from './newest-requests.ts';
import type { RecordedRequest, SentRequest } from './recorded-request.ts';
import { toRecordedRequest } from './to-recorded.ts';
import { toLoggableMessage } from '../../shared/loggable-message.ts';

export interface RequestRecorderDeps {
  store: Pick<RecordedRequestStore, 'add'>;
  log: Logger;
  everyMs?: number;
  maxBytes?: number;
}

export interface RequestRecorder {
  /** Remembers it, and no more; it is written later. */
  record(request: SentRequest): void;
  /** Writes what it still has, if that can be done soon. */
  stop(): Promise<void>;
}

const stopPatienceMs = 2_000;
const readAtOnce = 10;

/**
 * Writes requests behind everybody's back: one statement at a time, and only so often. A database that hangs therefore holds one
 * connection and as much memory as may wait; what could not be written is forgotten, as is what a crash finds unwritten.
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
      await Promise.race([writeRest(), sleep(stopPatienceMs, undefined, { ref: false })]);
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
      const recorded = await readAll(newest.takeAll());
      if (recorded.length > 0) await store.add(recorded);
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn({ error: toLoggableMessage(error) }, 'requests could not be recorded for whoever debugs a connection');
      isFailing = true;
    }
  }
}

/** Others have their turn in between. */
async function readAll(requests: SentRequest[]): Promise<RecordedRequest[]> {
  const recorded: RecordedRequest[] = [];
  for (const request of requests) {
    recorded.push(toRecordedRequest(request));
    if (recorded.length % readAtOnce === 0) await breathe();
  }
  return recorded;
}
