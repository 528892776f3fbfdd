import { randomBytes } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { isId, newId } from '../../ids.ts';
import { isDeliveryId } from './delivery-id.ts';
import { deliveryNotFound, type Delivery, type DeliveryLogStore } from './delivery-log.ts';
import type { SendRequest, SendResult, SendWebhook, SigningSecret } from './exchange.ts';
import type { Replay } from './replays.ts';

export type EndpointStatus = 'enabled' | 'paused' | 'disabled' | 'misconfigured';

/** How the delivery of a directory stands. */
export interface DeliveryState {
  status: EndpointStatus;
  reason: string | undefined;
  /** As it is shown. */
  url: string | undefined;
  ackedSequence: number;
  lastSequence: number;
  oldestPendingAt: Date | undefined;
  /** The delivery that all later events wait for. */
  open: Pick<Delivery, 'id' | 'status' | 'attempts' | 'failures' | 'nextAttemptAt'> | undefined;
  firstFailureAt: Date | undefined;
  lastSuccessAt: Date | undefined;
  legacySignatures: boolean;
  /** Newest first. */
  secrets: { id: string; createdAt: Date; expiresAt: Date | undefined; lastUsedAt: Date | undefined }[];
  replay: Pick<Replay, 'id' | 'mode' | 'total' | 'done'> | undefined;
}

/** What a test is sent with. */
export interface TestTarget {
  directory: { id: string; tenant: string; product: string };
  url: string;
  secrets: SigningSecret[];
  legacySignatures: boolean;
}

export type ResumeFrom = 'backlog' | 'now';
export type RetryRefusal = 'resting' | 'settled' | 'busy';

export interface DeliveryControlStore {
  state(directoryId: string): Promise<DeliveryState | undefined>;
  /** What is disabled stays so: nothing is sent there. */
  pause(directoryId: string): Promise<'paused' | 'gone'>;
  /** Without saying from where, what has given up is not resumed: somebody must choose. */
  resume(directoryId: string, from: ResumeFrom | undefined): Promise<'resumed' | 'enabled' | 'choose' | 'gone'>;
  /** Makes an open or exhausted delivery due. */
  makeDue(directoryId: string, deliveryId: string): Promise<'due' | RetryRefusal | undefined>;
  testTarget(directoryId: string): Promise<TestTarget | 'no webhook' | undefined>;
  /** The secrets that there are go on signing for that long; all but the newest few go at once. */
  rotateSecret(
    directoryId: string,
    secret: string,
    overlapMs: number,
  ): Promise<{ previousValidUntil: Date | undefined } | 'no webhook' | 'same' | undefined>;
}

/** What tells the directory's delivery workflow, starting it if it does not run. */
export interface SteerDelivery {
  /** True when nothing is being sent any more; false if that took too long to wait for. */
  pause(directoryId: string): Promise<boolean>;
  resume(directoryId: string): Promise<void>;
  retryNow(directoryId: string): Promise<void>;
}

export interface DeliveryControlDeps {
  control: DeliveryControlStore;
  log: Pick<DeliveryLogStore, 'get'>;
  /** Unset where no webhooks are delivered. */
  steer?: SteerDelivery | undefined;
  send: SendWebhook;
  sendTimeoutMs: number;
  /** Events travel in arrays. */
  inBatches: boolean;
  /** Does not wait, and may fail unseen: the sweep makes up for it. */
  tellOperatorSoon(): void;
  now?: () => number;
}

export interface SentTest {
  request: SendRequest;
  result: SendResult;
}

export type DeliveryControl = ReturnType<typeof createDeliveryControl>;

/** What an operator may do with the delivery of a directory. */
export function createDeliveryControl(deps: DeliveryControlDeps) {
  const { control, log, steer, send, sendTimeoutMs, inBatches, tellOperatorSoon, now = Date.now } = deps;
  return {
    state,

    /** Postgres first: a workflow that is started anew goes by it. */
    async pause(directoryId: string): Promise<{ state: DeliveryState; settled: boolean }> {
      if (!isId(directoryId) || (await control.pause(directoryId)) === 'gone') throw directoryNotFound();
      const settled = (await steer?.pause(directoryId)) ?? true;
      return { state: await state(directoryId), settled };
    },

    async resume(directoryId: string, from: ResumeFrom | undefined): Promise<DeliveryState> {
      const resumed = isId(directoryId) ? await control.resume(directoryId, from) : 'gone';
      if (resumed === 'gone') throw directoryNotFound();
      if (resumed === 'choose')
        throw new AppError(
          'invalid_request',
          'from is required here: “backlog” delivers all that has waited, “now” passes it over (a replay can bring it later).',
          { field: 'from' },
        );
      tellOperatorSoon();
      // Also when it was enabled before: whoever said so then may not have got through.
      await steer?.resume(directoryId);
      const current = await state(directoryId);
      // A repeated request finds nothing pending: the first one skipped it.
      if (resumed === 'enabled' && from === 'now' && current.lastSequence > current.ackedSequence)
        throw new AppError(
          'invalid_request',
          'Delivery is enabled, so nothing was skipped: POST to …/pause first, then to …/resume with from “now” to skip the pending events.',
          { field: 'from' },
        );
      return current;
    },

    async retry(directoryId: string, deliveryId: string): Promise<Delivery> {
      await state(directoryId);
      const made = isDeliveryId(deliveryId) ? await control.makeDue(directoryId, deliveryId) : undefined;
      if (made === undefined) throw deliveryNotFound();
      if (made !== 'due') throw new AppError('invalid_request', retryRefusals[made]);
      await steer?.retryNow(directoryId);
      const delivery = await log.get(directoryId, deliveryId);
      if (!delivery) throw deliveryNotFound();
      return delivery;
    },

    /** Sent from here and at once, beside the events and their order. */
    async test(directoryId: string, signal: AbortSignal): Promise<SentTest> {
      const target = isId(directoryId) ? await control.testTarget(directoryId) : undefined;
      if (!target) throw directoryNotFound();
      if (target === 'no webhook') throw noWebhook('test');
      const { directory, ...to } = target;
      const event = toTestEvent(directory, now());
      const request: SendRequest = {
        ...to,
        id: `msg_${randomBytes(20).toString('base64url')}`,
        body: JSON.stringify(inBatches ? [event] : event),
        headers: { 'webhook-test': 'true' },
      };
      return { request, result: await send(request, { signal, timeoutMs: sendTimeoutMs }) };
    },

    async rotateSecret(
      directoryId: string,
      { secret = `whsec_${randomBytes(32).toString('base64')}`, overlapMs }: { secret?: string | undefined; overlapMs: number },
    ): Promise<{ secret: string; previousValidUntil: Date | undefined }> {
      const rotated = isId(directoryId) ? await control.rotateSecret(directoryId, secret, overlapMs) : undefined;
      if (!rotated) throw directoryNotFound();
      if (rotated === 'no webhook') throw noWebhook('rotate the secret of');
      if (rotated === 'same')
        throw new AppError('invalid_request', 'secret is one that signs already: send another, or none to have one made.', {
          field: 'secret',
        });
      return { secret, ...rotated };
    },
  };

  async function state(directoryId: string): Promise<DeliveryState> {
    const found = isId(directoryId) ? await control.state(directoryId) : undefined;
    if (!found) throw directoryNotFound();
    return found;
  }
}

/** In the form of an event, so that a receiver verifies and reads it alike; it has no place in the order. */
const toTestEvent = ({ id, tenant, product }: TestTarget['directory'], nowMs: number) => ({
  event: 'webhook.test',
  tenant,
  product,
  directory_id: id,
  data: { message: 'This is a test. Nothing has changed.' },
  id: newId(nowMs),
  occurred_at: new Date(nowMs).toISOString(),
});

const retryRefusals: Record<RetryRefusal, string> = {
  resting: 'Deliveries of this directory are not enabled, so nothing would be sent: POST to …/resume instead.',
  settled: 'This delivery is settled: POST to …/replays with the mode “single” and its delivery_id to have it sent again.',
  busy: 'Another replay is under way: try again when it has ended.',
};

const noWebhook = (what: string) => new AppError('invalid_request', `This directory has no webhook to ${what}.`);
const directoryNotFound = () => new AppError('not_found', 'There is no directory with this id.');
