import { deliveryNotFound, notFound } from '../errors.ts';
import type { toEventPayload } from '../event.ts';
import { AppError } from '../../errors.ts';
import type { Narrowing } from '../../access/narrowing.ts';
import { newId } from '../../ids.ts';
import { assertComplete } from '../page.ts';
import type { ContinuedPage, PageAcrossDirectories, PageRequest, TimedPosition } from '../page.ts';
import type { DirectorySelector, DirectoryStore, Page } from '../ports.ts';
import type { AttemptDetails, SendOutcome } from './ports.ts';
import { selectDirectories } from '../directories/directories.ts';
import { createHash } from 'node:crypto';

export const deliveryStatuses = ['pending', 'delivered', 'exhausted', 'split', 'skipped', 'replayed', 'canceled'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
export const deliveryKinds = ['live', 'replay'] as const;
export type DeliveryKind = (typeof deliveryKinds)[number];

/** One webhook body under one `webhook-id`, or a range of events that was skipped. */
export interface LoggedDelivery {
  id: string;
  directoryId: string;
  kind: DeliveryKind;
  replayId: string | undefined;
  status: DeliveryStatus;
  fromSequence: number;
  toSequence: number;
  eventCount: number;
  /** The different types of its first events. */
  eventTypes: string[];
  attempts: number;
  failures: number;
  /** Only while the delivery is pending. */
  nextAttemptAt: Date | undefined;
  bytes: number;
  sha256: string;
  /** Whether requests and responses are kept. */
  logged: boolean;
  createdAt: Date;
  firstAttemptAt: Date | undefined;
  doneAt: Date | undefined;
}

/** For lists across directories. */
export interface DeliveryOfDirectory extends LoggedDelivery {
  directory: { name: string; tenant: string; product: string };
}

export interface LoggedAttempt extends Partial<Omit<AttemptDetails, 'timings'>> {
  number: number;
  trigger: 'auto' | 'replay';
  outcome: SendOutcome | 'in_flight';
  statusCode: number | undefined;
  error: string | undefined;
  /** Its query and user info are omitted. */
  url: string;
  secretIds: string[] | undefined;
  timings: AttemptDetails['timings'] | undefined;
  startedAt: Date;
  endedAt: Date | undefined;
}

export interface DeliveryWithAttempts extends LoggedDelivery {
  body: string | undefined;
  attemptLog: LoggedAttempt[];
}

/** A logged delivery with the result of its last attempt: a "webhook event" in the API of Polis. */
export interface WebhookEvent {
  id: string;
  /** Its query and user info are omitted. */
  url: string;
  createdAt: Date;
  /** Undefined if there was no response. */
  statusCode: number | undefined;
  delivered: boolean;
  body: string | undefined;
}

/** Where a delivery is in a list, newest first. Deliveries that began together are in the order of their events. */
export interface DeliveryPosition extends TimedPosition {
  sequence: number;
}

/** Failed deliveries, of rank 0, come first. */
export interface RankedPosition extends DeliveryPosition {
  rank: 0 | 1;
}

interface AcrossFilter {
  status?: DeliveryStatus | undefined;
  /** Callers that are narrowed to the same share a limit. */
  callerNarrowedTo: Narrowing;
}

export interface DeliveryLogStore {
  /** Returns the newest delivery first. */
  list(
    directoryId: string,
    filter: { status?: DeliveryStatus | undefined; kind?: DeliveryKind | undefined },
    page: PageRequest<DeliveryPosition>,
  ): Promise<ContinuedPage<LoggedDelivery, DeliveryPosition>>;
  /** Of several directories: those that are retried or given up first, each newest first. */
  listAcross(
    owner: Narrowing,
    filter: AcrossFilter,
    page: PageRequest<RankedPosition>,
  ): Promise<ContinuedPage<DeliveryOfDirectory, RankedPosition>>;
  get(directoryId: string, id: string): Promise<DeliveryWithAttempts | undefined>;
  /** Returns the newest event first. A page ends early where it would take too much memory. */
  listEvents(
    directoryIds: string[],
    page: PageRequest<DeliveryPosition>,
  ): Promise<PageAcrossDirectories<WebhookEvent> & ContinuedPage<WebhookEvent, DeliveryPosition>>;
  getEvent(directoryIds: string[], id: string): Promise<WebhookEvent | undefined>;
  /** Removes settled deliveries up to a time from the log; returns how many. */
  dropEvents(directoryId: string, until: Date, limit: number): Promise<number>;
  /** Removes one settled delivery from the log. */
  dropEvent(directoryIds: string[], id: string): Promise<void>;
  /** Adds a delivery to the log. Nothing depends on it. */
  record(directoryId: string, delivery: OwnDelivery): Promise<void>;
}

/** A delivery that an application made itself, for the log. */
export interface OwnDelivery {
  id: string;
  url: string;
  body: string;
  events: number;
  statusCode: number;
  at: Date;
}

/** An event that is not acknowledged. `open`: its delivery has begun. */
interface QueuedEvent {
  event: ReturnType<typeof toEventPayload>;
  failures: number;
  state: 'pending' | 'open' | 'failed';
}
export type ListQueuedEvents = (page: Page) => Promise<QueuedEvent[]>;

interface DeliveryLogDeps {
  directories: Pick<DirectoryStore, 'findIds'>;
  log: DeliveryLogStore;
  now?: () => number;
}

export type DeliveryLog = ReturnType<typeof createDeliveryLog>;

const eventsPerDrop = 2_000;
/** Far more than the largest event takes. */
const maxOwnBytes = 4_194_304;
/** Polis counts no other status as delivered. */
export const polisSuccess = 200;

/** Reads the deliveries of directories and their attempts. */
export function createDeliveryLog({ directories, log, now = Date.now }: DeliveryLogDeps) {
  return {
    async list(
      directoryId: string,
      filter: Parameters<DeliveryLogStore['list']>[1],
      page: PageRequest<DeliveryPosition>,
    ): Promise<ContinuedPage<LoggedDelivery, DeliveryPosition>> {
      const [id] = await selectDirectories(directories, { directoryId });
      return log.list(id!, filter, page);
    },

    listAcross: log.listAcross,

    async get(directoryId: string, id: string): Promise<DeliveryWithAttempts> {
      const [found] = await selectDirectories(directories, { directoryId });
      const delivery = isDeliveryId(id) ? await log.get(found!, id) : undefined;
      if (!delivery) throw deliveryNotFound();
      return delivery;
    },

    async listEvents(
      selector: DirectorySelector,
      page: PageRequest<DeliveryPosition>,
    ): Promise<ContinuedPage<WebhookEvent, DeliveryPosition>> {
      const found = await log.listEvents(await selectDirectories(directories, selector), page);
      return { resources: 'offset' in page ? assertComplete(found) : found.resources, next: found.next };
    },

    async getEvent(selector: DirectorySelector, id: string): Promise<WebhookEvent> {
      const directoryIds = await selectDirectories(directories, selector);
      const event = isDeliveryId(id) ? await log.getEvent(directoryIds, id) : undefined;
      if (!event) throw notFound('webhook event');
      return event;
    },

    async dropEvents(selector: DirectorySelector & { directoryId: string }): Promise<void> {
      const [id] = await selectDirectories(directories, selector);
      const until = new Date(now());
      while ((await log.dropEvents(id!, until, eventsPerDrop)) === eventsPerDrop);
    },

    async dropEvent(selector: DirectorySelector, id: string): Promise<void> {
      const directoryIds = await selectDirectories(directories, selector);
      if (isDeliveryId(id)) await log.dropEvent(directoryIds, id);
    },

    /** Returns the entry that was added. */
    async record(selector: DirectorySelector & { directoryId: string }, own: Omit<OwnDelivery, 'id' | 'at'>): Promise<WebhookEvent> {
      const [found] = await selectDirectories(directories, selector);
      const bytes = Buffer.byteLength(own.url) + Buffer.byteLength(own.body);
      if (bytes > maxOwnBytes)
        throw new AppError('payload_too_large', `The webhook has ${bytes} bytes, more than ${maxOwnBytes} (fixed limit).`);
      const delivery = { ...own, id: toDeliveryId(newId()), at: new Date(now()) };
      await log.record(found!, delivery);
      return { ...delivery, createdAt: delivery.at, delivered: own.statusCode === polisSuccess };
    },
  };
}

/** The ID of a delivery, which is also its `webhook-id`. */
export const toDeliveryId = (covered: string) => `msg_${createHash('sha256').update(covered).digest('base64url').slice(0, 27)}`;

export const isDeliveryId = (text: string) => /^msg_[\w-]{27}$/.test(text);
