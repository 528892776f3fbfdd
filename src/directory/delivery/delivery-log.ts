import { AppError } from '../../errors.ts';
import { isId } from '../../ids.ts';
import type { AcrossPage, DirectorySelector, DirectoryStore, Page } from '../ports.ts';
import { isDeliveryId } from './delivery-id.ts';
import type { Exchange, SendOutcome } from './exchange.ts';

export const deliveryStatuses = ['pending', 'delivered', 'exhausted', 'split', 'skipped', 'replayed', 'canceled'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
export const deliveryKinds = ['live', 'replay'] as const;
export type DeliveryKind = (typeof deliveryKinds)[number];

/** One delivery: the bytes under one `webhook-id`, or a range of events that was passed over. */
export interface Delivery {
  id: string;
  directoryId: string;
  kind: DeliveryKind;
  replayId: string | undefined;
  status: DeliveryStatus;
  fromSequence: number;
  toSequence: number;
  eventCount: number;
  attempts: number;
  failures: number;
  /** Of one that is pending. */
  nextAttemptAt: Date | undefined;
  bytes: number;
  sha256: string;
  /** Whether what was said is kept. */
  logged: boolean;
  createdAt: Date;
  firstAttemptAt: Date | undefined;
  doneAt: Date | undefined;
}

export interface KeptAttempt extends Partial<Omit<Exchange, 'timings'>> {
  number: number;
  trigger: 'auto' | 'manual' | 'replay';
  outcome: SendOutcome | 'in_flight';
  statusCode: number | undefined;
  error: string | undefined;
  /** As it is shown. */
  url: string;
  secretIds: string[] | undefined;
  timings: Exchange['timings'] | undefined;
  startedAt: Date;
  endedAt: Date | undefined;
}

export interface WholeDelivery extends Delivery {
  body: string | undefined;
  attemptLog: KeptAttempt[];
}

/** What the ancestor calls a webhook event: a delivery that is logged, with what its last attempt came to. */
export interface WebhookEvent {
  id: string;
  /** As it is shown. */
  url: string;
  createdAt: Date;
  /** None if no answer came. */
  statusCode: number | undefined;
  delivered: boolean;
  body: string | undefined;
}

export interface DeliveryLogStore {
  /** Newest first. */
  list(
    directoryId: string,
    filter: { status?: DeliveryStatus | undefined; kind?: DeliveryKind | undefined },
    page: Page,
    signal?: AbortSignal,
  ): Promise<Delivery[]>;
  get(directoryId: string, id: string): Promise<WholeDelivery | undefined>;
  /** Newest first, cut where they would fill the memory. */
  listEvents(directoryIds: string[], page: Page, signal?: AbortSignal): Promise<AcrossPage<WebhookEvent>>;
  getEvent(directoryIds: string[], id: string): Promise<WebhookEvent | undefined>;
  /** Takes what is settled for good out of the log, as it was at that time; says how many. */
  dropEvents(directoryId: string, until: Date, limit: number): Promise<number>;
}

export interface DeliveryLogDeps {
  directories: Pick<DirectoryStore, 'findIds'>;
  log: DeliveryLogStore;
  now?: () => number;
}

export type DeliveryLog = ReturnType<typeof createDeliveryLog>;

const droppedAtOnce = 2_000;

/** What was sent, and what was answered. */
export function createDeliveryLog({ directories, log, now = Date.now }: DeliveryLogDeps) {
  return {
    async list(
      directoryId: string,
      filter: Parameters<DeliveryLogStore['list']>[1],
      page: Page,
      signal?: AbortSignal,
    ): Promise<Delivery[]> {
      const [id] = await select({ directoryId });
      return log.list(id!, filter, page, signal);
    },

    async get(directoryId: string, id: string): Promise<WholeDelivery> {
      const [found] = await select({ directoryId });
      const delivery = isDeliveryId(id) ? await log.get(found!, id) : undefined;
      if (!delivery) throw deliveryNotFound();
      return delivery;
    },

    async listEvents(selector: DirectorySelector, page: Page, signal?: AbortSignal): Promise<WebhookEvent[]> {
      const { resources, isCut } = await log.listEvents(await select(selector), page, signal);
      // Whoever counts on with the next offset would never see what was cut off.
      if (isCut)
        throw new AppError('invalid_request', `This page would be too large: ask for ${resources.length} or fewer.`, {
          field: 'pageLimit',
        });
      return resources;
    },

    async getEvent(selector: DirectorySelector, id: string): Promise<WebhookEvent> {
      const directoryIds = await select(selector);
      const event = isDeliveryId(id) ? await log.getEvent(directoryIds, id) : undefined;
      if (!event) throw new AppError('not_found', 'There is no webhook event with this id.');
      return event;
    },

    async dropEvents(directoryId: string): Promise<void> {
      const [id] = await select({ directoryId });
      const until = new Date(now());
      while ((await log.dropEvents(id!, until, droppedAtOnce)) === droppedAtOnce);
    },
  };

  async function select(selector: DirectorySelector): Promise<string[]> {
    const found = 'directoryId' in selector && !isId(selector.directoryId) ? [] : await directories.findIds(selector);
    if (found.length === 0) throw new AppError('not_found', 'There is no such directory.');
    return found;
  }
}

export const deliveryNotFound = () => new AppError('not_found', 'There is no delivery with this id.');
