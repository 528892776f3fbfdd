import type { EventType } from '../event.ts';
import type { SendResult, SigningSecret } from './exchange.ts';

export type EndpointStatus = 'enabled' | 'paused' | 'disabled' | 'misconfigured';

/** The right to deliver for one directory; whoever takes it next makes this one worthless. */
export interface Lane {
  directoryId: string;
  endpointId: string;
  epoch: number;
}

/** The bytes of one delivery, frozen before they are first sent: every attempt sends the same under the same id. */
export interface Batch {
  id: string;
  kind: 'live' | 'replay';
  replayId?: string;
  fromSequence: number;
  toSequence: number;
  eventCount: number;
  /** Of its first event. */
  occurredAt: Date;
  body: string;
  /** A part of what was refused for its content: one more such refusal, and it is divided further. */
  suspect: boolean;
}

/** A batch that was begun before and is not settled. */
export interface OpenBatch extends Omit<Batch, 'body'> {
  /** Undefined if it is large: it is read when there is memory for it. */
  body: string | undefined;
  bytes: number;
  attempts: number;
  /** How often the receiver has failed it; our own ends don't count. */
  failures: number;
  /** How often in a row it was refused for its content. */
  clientErrors: number;
  retryInMs: number;
}

/** One that is sent now. */
export type DueBatch = OpenBatch & { body: string };

export interface StoredEvent {
  id: string;
  sequence: number;
  type: EventType;
  /** JSON. It is parsed when its delivery is frozen, since objects can take many times as much memory as their text. */
  data: string;
  bytes: number;
  occurredAt: Date;
}

/** What a drain goes by. */
export interface TakenLane {
  lane: Lane;
  directory: { id: string; tenant: string; product: string };
  ackedSequence: number;
  lastSequence: number;
  /** Fewer events at once than configured, after a receiver was overcharged or refused some. */
  batchLimit: number | undefined;
  suspectUntil: number;
  head: OpenBatch | undefined;
  /** Earlier starts since anything was concluded: their process died, or nothing else is known of them. */
  deaths: number;
  /** False after several deaths: its start is counted when it is its turn. */
  isStartCounted: boolean;
}

export interface Attempt {
  batch: Batch;
  /** Counted from 1. */
  number: number;
  failures: number;
  clientErrors: number;
  url: string;
  secrets: SigningSecret[];
  legacySignatures: boolean;
  /** Whether what was said is kept. */
  logged: boolean;
}

/** After it was sent its body is of no use. */
export type SentAttempt = Omit<Attempt, 'batch'> & { batch: Omit<Batch, 'body'> };

export interface Concluded {
  attempt: SentAttempt;
  result: SendResult;
}

/** What becomes of a batch that was not taken. */
export type Failure =
  | { kind: 'retry'; delayMs: number; counts: boolean; clientError: boolean; batchLimit?: number }
  | { kind: 'split'; batchLimit: number }
  | { kind: 'disable'; status: 'disabled' | 'misconfigured'; reason: string; exhausted: boolean }
  | { kind: 'give-up'; reason: string };

/** A replay under way: the next of its events, and how far it has come. */
export interface RunningReplay {
  id: string;
  ranges: [from: number, to: number][];
  nextSequence: number;
  head: OpenBatch | undefined;
}

export interface DeliveryStore {
  /**
   * Makes every earlier lane of the directory worthless. `retryInMs` and `resting` leave the wake flag up, so that changes made
   * meanwhile wake nobody in vain; else it is taken down before anything is read.
   */
  takeLane(directoryId: string): Promise<TakenLane | { retryInMs: number } | 'inactive' | 'gone'>;
  /** Counts a start of a lane that was taken without one; false if the lane was taken again since. */
  countStart(lane: Lane): Promise<boolean>;
  /** Takes back one start of each, if there is one. */
  forgiveStarts(directoryIds: string[]): Promise<void>;
  /** Until an operator resumes it. The operator is told; false if the lane was taken again since. */
  disable(lane: Lane, reason: string): Promise<boolean>;
  /**
   * Events with content, in their order, no more than fill `maxBytes`. If the first is larger than that, there are none, and `firstBytes`
   * says how large it is.
   */
  readEvents(
    directoryId: string,
    range: { after: number; upTo: number; limit: number; maxBytes: number },
  ): Promise<{ events: StoredEvent[]; firstBytes: number | undefined }>;
  /** Of an open batch; nothing if it has been settled. */
  readBody(directoryId: string, batchId: string): Promise<string | undefined>;
  /**
   * Concludes an attempt that succeeded, which moves the cursor, and begins the next: its row is there before anything is sent. One
   * statement, since every event passes here. What begins after a success is counted as a start; else only with `countsStart`.
   */
  turn(
    lane: Lane,
    turn: { delivered?: Concluded & { batchLimit: number | undefined }; open?: DueBatch; freeze?: Batch; countsStart?: boolean },
  ): Promise<{ attempt?: Attempt; lastSequence: number } | 'superseded' | 'inactive'>;
  /** `moved`: meanwhile the webhook was given another address or secret, so what the old one said counts for nothing. */
  fail(lane: Lane, concluded: Concluded, failure: Failure): Promise<'kept' | 'moved' | 'superseded'>;
  /** Lets the content of what was delivered go, some at once; says whether there is more. */
  clearContent(lane: Lane): Promise<boolean>;
  /** Nothing is left. With `keepWatch`, changes wake nobody: the drain looks itself. */
  rest(lane: Lane, how: { keepWatch: boolean; usedSecretIds: string[] }): Promise<RunningReplay | 'superseded' | undefined>;
  /** Ends the watch: from here on changes wake again. */
  endWatch(lane: Lane): Promise<{ lastSequence: number } | 'superseded'>;
  /** A replay that has come to its end. */
  finishReplay(lane: Lane, replayId: string): Promise<void>;
  /** Directories with undelivered events that nobody is working on. */
  findForgotten(limit: number): Promise<string[]>;
  /** Raises the flag of directories that have something to deliver, for batch mode. */
  wakeBacklogs(limit: number): Promise<string[]>;
  /** Takes it down again: nobody could be told. */
  unwake(directoryIds: string[]): Promise<void>;
}

/** Wakes the delivery of a directory. Extra calls do no harm. */
export type WakeDelivery = (directoryId: string) => Promise<void>;

/** Memory that all lanes of a process share. Room is given to directories in turn. */
export interface LaneMemory {
  /** Waits for room; nothing if there is none in time, or once the signal is aborted. */
  enter(directoryId: string, bytes: number, wait: { timeoutMs: number; signal: AbortSignal }): Promise<HeldMemory | undefined>;
  /** Nothing unless there is room and no lane waits for it. */
  tryEnter(directoryId: string, bytes: number): HeldMemory | undefined;
  /** Whether a lane waits for room. */
  isScarce(): boolean;
}

export interface HeldMemory {
  resize(bytes: number): void;
  release(): void;
}

/** Tells a drain of new events before anybody wakes it. */
export interface SequenceWatch {
  /** The directory's last sequence, as soon as it is beyond this one; nothing if the time is over first. */
  waitFor(directoryId: string, after: number, options: { timeoutMs: number; signal: AbortSignal }): Promise<number | undefined>;
  /** Somebody in this process may have committed events of the directory just now. */
  hint(directoryId: string): void;
}
