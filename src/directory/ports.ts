import type { Directory, DirectoryChange } from './directory.ts';
import type { NewEvent } from './event.ts';
import type { Mutation, Outcome } from './mutation.ts';
import type { User } from './user.ts';

/** What the domain asks of the world. `store`, `webhooks` and `temporal` answer; `compose.ts` brings them together. */

export interface Page {
  offset: number;
  limit: number;
}

export interface DirectoryStore {
  create(directory: Directory): Promise<Directory>;
  get(id: string): Promise<Directory | undefined>;
  /** The little that every pushed request asks for. */
  getScimAccess(id: string): Promise<ScimAccess | undefined>;
  /** Newest first. */
  list(owner: { tenant: string; product: string }, page: Page): Promise<Directory[]>;
  update(id: string, change: DirectoryChange): Promise<Directory | undefined>;
  /** True if there was one. */
  remove(id: string): Promise<boolean>;
}

interface ScimAccess {
  directoryId: string;
  deactivated: boolean;
  secret: string | undefined;
}

export interface UserStore {
  get(directoryId: string, id: string): Promise<User | undefined>;
  list(directoryId: string, query: { userName?: string } & Page): Promise<{ users: User[]; total: number }>;
}

/** A transaction that holds the directory's row: nothing else changes the directory meanwhile. */
export interface DirectoryTransaction {
  readonly now: Date;
  /** Outcomes of mutations that were applied before. */
  readonly known: ReadonlyMap<string, Outcome>;
  /** Gives back the ids that found their user name free. */
  insertUsers(users: Pick<User, 'id' | 'userName' | 'externalId' | 'active' | 'resource'>[]): Promise<Set<string>>;
  /** Gives back the users that were there. */
  deleteUsers(ids: string[]): Promise<Pick<User, 'id' | 'userName' | 'active' | 'resource'>[]>;
}

interface Changes {
  events: NewEvent[];
  outcomes: Outcome[];
}

export interface ChangeStore {
  /**
   * Runs `work` in one transaction, appends its events with the directory's next sequence numbers and keeps its outcomes.
   * `wake` says that this transaction found the delivery asleep: somebody must wake it.
   */
  change(
    directoryId: string,
    mutationIds: string[],
    work: (tx: DirectoryTransaction) => Promise<Changes>,
  ): Promise<{ wake: boolean } | 'gone'>;
  /** Outcomes are kept as long as a mutation could run again; this drops the old ones and says how many. */
  forgetOutcomes(limit: number): Promise<number>;
}

/** Wakes the delivery of a directory; more often than needed does no harm. */
export type WakeDelivery = (directoryId: string) => Promise<void>;

/** Has a mutation applied durably, and gives its outcome once it is committed. */
export interface Intake {
  submit(mutation: Mutation): Promise<Outcome>;
}

/** The bytes of one delivery, frozen before they are first sent: every attempt sends the same under the same id. */
export interface Batch {
  id: string;
  directoryId: string;
  endpointId: string;
  body: string;
  toSequence: number;
}

export interface Attempt {
  batch: Batch;
  /** Counted from 1. */
  number: number;
  /** How often the receiver has failed it before; our own ends don't count. */
  failures: number;
  url: string;
  /** Newest first. */
  secrets: string[];
}

/** The right to deliver for one directory; whoever takes it next makes this one worthless. */
export interface Lane {
  directoryId: string;
  endpointId: string;
  epoch: number;
}

export type AttemptOutcome = 'success' | 'http_error' | 'timeout' | 'dns' | 'tls' | 'connect' | 'blocked' | 'aborted';
export interface SendResult {
  outcome: AttemptOutcome;
  statusCode?: number;
  error?: string;
}

export interface DeliveryStore {
  /** `retry` leaves the wake flag up, so that changes made while we wait wake nobody in vain; so does `unaddressed`. */
  takeLane(directoryId: string): Promise<{ lane: Lane } | { retryInMs: number } | 'unaddressed' | 'gone'>;
  /** Freezes the next batch if none is open, and writes the attempt's row before anything is sent. */
  startAttempt(lane: Lane): Promise<Attempt | { retryInMs: number } | 'drained' | 'unaddressed' | 'superseded'>;
  /** The cursor moves here, and only after a success. */
  finishAttempt(lane: Lane, attempt: Attempt, result: SendResult, retryDelayMs: number): Promise<'kept' | 'superseded'>;
  /** Directories with undelivered events that nobody is working on. */
  findForgotten(limit: number): Promise<string[]>;
}

export type SendWebhook = (attempt: Attempt, options: { signal: AbortSignal; timeoutMs: number }) => Promise<SendResult>;
