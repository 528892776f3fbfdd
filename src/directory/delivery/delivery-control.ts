import { randomBytes } from 'node:crypto';
import { publicDirectoryId } from '../directories/former-ids.ts';
import type { Act } from '../../audit/act.ts';
import { AppError } from '../../errors.ts';
import { isId, newId } from '../../ids.ts';
import { deliveryNotFound, directoryNotFound, secretInUse } from '../errors.ts';
import { type LoggedDelivery, type DeliveryLogStore, isDeliveryId } from './delivery-log.ts';
import type { FailedOutcome, ReportedStatus, SendRequest, SendResult, SendWebhook, SigningSecret } from './ports.ts';
import type { Replay } from './replays.ts';

/** The state of a directory's delivery. */
export interface DeliveryState {
  status: ReportedStatus;
  reason: string | undefined;
  /** Its query and user info are omitted. */
  url: string | undefined;
  ackedSequence: number;
  lastSequence: number;
  oldestPendingAt: Date | undefined;
  /** The delivery in progress. All later events wait for it. */
  open: Pick<LoggedDelivery, 'id' | 'status' | 'attempts' | 'failures' | 'nextAttemptAt'> | undefined;
  /** The newest failed attempt, while deliveries fail. */
  lastError: { at: Date; outcome: FailedOutcome; statusCode: number | undefined; error: string | undefined; attemptId: string } | undefined;
  firstFailureAt: Date | undefined;
  /** Failed attempts since the last success. */
  consecutiveFailures: number;
  lastSuccessAt: Date | undefined;
  legacySignatures: boolean;
  /** The newest secret comes first. */
  secrets: { id: string; createdAt: Date; expiresAt: Date | undefined; lastUsedAt: Date | undefined }[];
  replay: Pick<Replay, 'id' | 'mode' | 'total' | 'done'> | undefined;
}

/** Without the deployment's defaults. */
export type StoredDeliveryState = Omit<DeliveryState, 'legacySignatures'> & Pick<TestTarget, 'legacySignatures'>;

/** The receiver of a test webhook. */
export interface TestTarget {
  directory: { id: string; tenant: string; product: string };
  url: string;
  secrets: SigningSecret[];
  legacySignatures: boolean | undefined;
}

export type ResumeFrom = 'backlog' | 'now';
export type RetryError = 'inactive' | 'settled' | 'busy';

export interface DeliveryControlStore {
  state(directoryId: string): Promise<StoredDeliveryState | undefined>;
  /** A disabled delivery stays disabled. */
  pause(directoryId: string): Promise<'paused' | 'gone'>;
  /** `choose`: a delivery that exhausted its schedule is resumed only with `from`. */
  resume(directoryId: string, from: ResumeFrom | undefined): Promise<'resumed' | 'active' | 'choose' | 'gone'>;
  /** Makes an open or exhausted delivery due immediately. */
  makeDue(directoryId: string, deliveryId: string): Promise<'due' | RetryError | undefined>;
  testTarget(directoryId: string): Promise<TestTarget | 'no webhook' | undefined>;
  /** The current secrets keep signing for `overlapMs`, except all but the newest few. */
  rotateSecret(
    directoryId: string,
    secret: string,
    overlapMs: number,
  ): Promise<{ previousValidUntil: Date | undefined } | 'no webhook' | 'same' | undefined>;
}

/** Signals the directory's delivery workflow, and starts it if it is not running. */
export interface DeliverySignals {
  /** True when no request is in flight any more. False if that takes too long. */
  pause(directoryId: string): Promise<boolean>;
  resume(directoryId: string): Promise<void>;
  retryNow(directoryId: string): Promise<void>;
}

export interface DeliveryControlDeps {
  control: DeliveryControlStore;
  log: Pick<DeliveryLogStore, 'get'>;
  signals: DeliverySignals;
  send: SendWebhook;
  /** The deployment's default. */
  legacySignatures: boolean;
  sendTimeoutMs: number;
  /** Batch mode: webhook bodies are arrays. */
  inBatches: boolean;
  /** Does not wait. Maintenance makes up for a failure. */
  wakeOperatorSoon(): void;
  recordAct(act: Act): Promise<void>;
  now?: () => number;
}

export interface SentTest {
  request: SendRequest;
  result: SendResult;
}

export type DeliveryControl = ReturnType<typeof createDeliveryControl>;

/** What an operator can do with a directory's delivery. */
export function createDeliveryControl(deps: DeliveryControlDeps) {
  const { control, log, signals, send, legacySignatures, sendTimeoutMs, inBatches, wakeOperatorSoon, recordAct, now = Date.now } = deps;
  return {
    state,

    /** Postgres first: a workflow that starts now reads it. */
    async pause(directoryId: string): Promise<{ state: DeliveryState; settled: boolean }> {
      if (!isId(directoryId) || (await control.pause(directoryId)) === 'gone') throw directoryNotFound();
      const settled = await signals.pause(directoryId);
      return { state: await state(directoryId), settled };
    },

    async resume(directoryId: string, from: ResumeFrom | undefined): Promise<DeliveryState> {
      const resumed = isId(directoryId) ? await control.resume(directoryId, from) : 'gone';
      if (resumed === 'gone') throw directoryNotFound();
      if (resumed === 'choose')
        throw new AppError(
          'invalid_request',
          'from is required: “backlog” delivers all pending events, “now” skips them (a replay can send them later).',
          { field: 'from' },
        );
      wakeOperatorSoon();
      // Even if it was active before: the signal of the earlier request may have failed.
      await signals.resume(directoryId);
      const current = await state(directoryId);
      // A repeated request finds nothing pending: the first one skipped it.
      if (resumed === 'active' && from === 'now' && current.lastSequence > current.ackedSequence)
        throw new AppError(
          'invalid_request',
          `${current.status === 'no_webhook' ? 'This directory has no webhook' : `Delivery is ${current.status}`}, so nothing was skipped: to skip the pending events, pause it, and then resume it with from “now”.`,
          { field: 'from' },
        );
      return current;
    },

    async retry(directoryId: string, deliveryId: string): Promise<LoggedDelivery> {
      await state(directoryId);
      const made = isDeliveryId(deliveryId) ? await control.makeDue(directoryId, deliveryId) : undefined;
      if (made === undefined) throw deliveryNotFound();
      if (made !== 'due') throw new AppError('invalid_request', retryErrors[made]);
      await signals.retryNow(directoryId);
      const delivery = await log.get(directoryId, deliveryId);
      if (!delivery) throw deliveryNotFound();
      return delivery;
    },

    /** This process sends it immediately, independent of the order of events. */
    async test(directoryId: string, signal: AbortSignal): Promise<SentTest> {
      const target = isId(directoryId) ? await control.testTarget(directoryId) : undefined;
      if (!target) throw directoryNotFound();
      if (target === 'no webhook') throw noWebhook(' to test');
      const { directory, ...to } = target;
      const event = toTestEvent(directory, now());
      const request: SendRequest = {
        ...to,
        id: `msg_${randomBytes(20).toString('base64url')}`,
        body: JSON.stringify(inBatches ? [event] : event),
        headers: { 'webhook-test': 'true' },
      };
      await recordAct({ action: 'webhook.tested', directory, targets: [{ type: 'delivery', id: request.id }] });
      return { request, result: await send(request, { signal, timeoutMs: sendTimeoutMs }) };
    },

    async rotateSecret(
      directoryId: string,
      { secret = `whsec_${randomBytes(32).toString('base64')}`, overlapMs }: { secret?: string | undefined; overlapMs: number },
    ): Promise<{ secret: string; previousValidUntil: Date | undefined }> {
      const rotated = isId(directoryId) ? await control.rotateSecret(directoryId, secret, overlapMs) : undefined;
      if (!rotated) throw directoryNotFound();
      if (rotated === 'no webhook') throw noWebhook(', so it has no secret to rotate');
      if (rotated === 'same') throw secretInUse();
      return { secret, ...rotated };
    },
  };

  async function state(directoryId: string): Promise<DeliveryState> {
    const found = isId(directoryId) ? await control.state(directoryId) : undefined;
    if (!found) throw directoryNotFound();
    return { ...found, legacySignatures: found.legacySignatures ?? legacySignatures };
  }
}

/** Looks like an event, so that a receiver verifies and parses it in the same way. It has no sequence. */
const toTestEvent = (directory: TestTarget['directory'], nowMs: number) => ({
  event: 'webhook.test',
  tenant: directory.tenant,
  product: directory.product,
  directory_id: publicDirectoryId(directory),
  data: { message: 'This is a test. Nothing has changed.' },
  id: newId(nowMs),
  occurred_at: new Date(nowMs).toISOString(),
});

const retryErrors: Record<RetryError, string> = {
  inactive: 'Delivery of this directory is paused, disabled or misconfigured, so nothing would be sent: resume it first.',
  settled: 'This delivery is already complete: to send it again, start a replay with the mode “single” and its delivery_id.',
  busy: 'Another replay is in progress: try again when it has ended.',
};

const noWebhook = (rest: string) => new AppError('invalid_request', `This directory has no webhook${rest}.`);
