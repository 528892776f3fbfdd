import type { EventType } from '../event.ts';
export type EndpointStatus = 'active' | 'paused' | 'disabled' | 'misconfigured';
/** What an operator sees. `failing`: the last attempt failed, and another one follows. `no_webhook`: active, without an address. */
export const reportedStatuses = ['active', 'failing', 'paused', 'disabled', 'misconfigured', 'no_webhook'] as const;
export type ReportedStatus = (typeof reportedStatuses)[number];

/** The exclusive right to deliver for one directory. A lane with a later epoch supersedes it. */
export interface DeliveryLane {
  directoryId: string;
  endpointId: string;
  epoch: number;
}

/** Who drains a lane: a process, and the activity in which it does. */
interface LaneHolder {
  workerId: string;
  activityId: string;
}

/** The bytes of one delivery, frozen before the first attempt: every attempt sends the same body under the same ID. */
export interface Delivery {
  id: string;
  kind: 'live' | 'replay';
  replayId?: string;
  fromSequence: number;
  toSequence: number;
  eventCount: number;
  /** Time of its first event. */
  occurredAt: Date;
  body: string;
  /** Part of a delivery whose content the receiver rejected. It is split again after one more such error. */
  suspect: boolean;
}

/** A delivery that was begun before and is not concluded. */
export interface OpenDelivery extends Omit<Delivery, 'body'> {
  /** Undefined for a large body, which is read when there is memory for it. */
  body: string | undefined;
  bytes: number;
  attempts: number;
  /** Failed attempts; those that Rollcall aborted do not count. */
  failures: number;
  /** Consecutive attempts whose content the receiver rejected. */
  clientErrors: number;
  retryInMs: number;
}

/** An open delivery to send now. */
export type DueDelivery = OpenDelivery & { body: string };

export interface StoredEvent {
  id: string;
  sequence: number;
  type: EventType;
  /** JSON. It is parsed when its delivery is frozen, because objects can take many times the memory of their text. */
  data: string;
  bytes: number;
  occurredAt: Date;
}

export interface EventRange {
  directoryId: string;
  after: number;
  upTo: number;
  limit: number;
  maxBytes: number;
}

/** If the first event is larger than the limit, there are none, and `firstBytes` is its size. */
export interface ReadEvents {
  events: StoredEvent[];
  firstBytes: number | undefined;
}

/** A lane, and the state of its directory's delivery. */
export interface TakenLane {
  lane: DeliveryLane;
  directory: { id: string; tenant: string; product: string };
  ackedSequence: number;
  lastSequence: number;
  /** A batch size below the configured one, after the receiver was overloaded or rejected a delivery. */
  batchLimit: number | undefined;
  suspectUntil: number;
  head: OpenDelivery | undefined;
  /** Starts since the last concluded attempt. Their process probably crashed. */
  crashes: number;
  /** False after several crashes: the start is counted later, when lanes begin one at a time. */
  isStartCounted: boolean;
}

export interface Attempt {
  delivery: Delivery;
  /** Starts at 1. */
  number: number;
  failures: number;
  clientErrors: number;
  url: string;
  secrets: SigningSecret[];
  legacySignatures: boolean | undefined;
  /** Whether requests and responses are kept. */
  logged: boolean;
}

/** Without the body, which is not needed after the attempt. */
export type SentAttempt = Omit<Attempt, 'delivery'> & { delivery: Omit<Delivery, 'body'> };

export interface ConcludedAttempt {
  attempt: SentAttempt;
  result: SendResult;
}

/** What follows a failed attempt. */
export type Failure =
  | { kind: 'retry'; delayMs: number; counts: boolean; clientError: boolean; batchLimit?: number }
  | { kind: 'split'; batchLimit: number }
  | { kind: 'disable'; status: 'disabled' | 'misconfigured'; reason: string; exhausted: boolean }
  | { kind: 'give-up'; reason: string };

/** A replay in progress. */
export interface RunningReplay {
  id: string;
  ranges: [from: number, to: number][];
  nextSequence: number;
  head: OpenDelivery | undefined;
}

/** Without an epoch, it may be the start of any owner: the response to `takeLane` was lost. */
export type CountedStart = Pick<DeliveryLane, 'directoryId'> & Partial<Pick<DeliveryLane, 'epoch'>>;

export interface DeliveryTurn {
  delivered?: ConcludedAttempt & { batchLimit: number | undefined };
  open?: DueDelivery;
  freeze?: Delivery;
  countsStart?: boolean;
}

/** `isAlerted`: the operator was told that the delivery fails, and not yet of a recovery. */
export type BegunTurn = { attempt?: Attempt; lastSequence: number; isAlerted?: true } | 'superseded' | 'outdated' | 'inactive';

export interface SharedTurn {
  lane: DeliveryLane;
  turn: DeliveryTurn;
}

/** Two drains of a directory may have a turn at the same time. */
export const turnKey = ({ directoryId, epoch }: Pick<DeliveryLane, 'directoryId' | 'epoch'>): string => `${directoryId}:${epoch}`;

export interface StalledDelivery {
  directoryId: string;
  /** Whether a living worker has its lane. */
  isHeld: boolean;
}

export interface DeliveryStore {
  /**
   * Supersedes every earlier lane of the directory. `retryInMs` and `inactive` leave the wake flag up, so that changes do not wake a delivery
   * that cannot proceed. Otherwise the flag is lowered before anything is read.
   */
  takeLane(directoryId: string, holder: LaneHolder): Promise<TakenLane | { retryInMs: number } | 'inactive' | 'gone'>;
  /** Counts the start of a lane with `isStartCounted: false`. False if the lane is superseded. */
  countStart(lane: DeliveryLane): Promise<boolean>;
  /** Takes back these starts. The last one that is counted is kept if it belongs to a later owner of the lane. */
  uncountStarts(starts: CountedStart[]): Promise<void>;
  /** Disables the delivery until an operator resumes it, and stores an operator event. False if the lane is superseded. */
  disable(lane: DeliveryLane, reason: string): Promise<boolean>;
  /** Events whose bodies are still kept, in order. */
  readEvents(directoryId: string, range: Omit<EventRange, 'directoryId'>): Promise<ReadEvents>;
  /** The same for several lanes in one statement. */
  readRanges(ranges: EventRange[]): Promise<ReadEvents[]>;
  /** The body of an open delivery. Undefined if it was concluded meanwhile. */
  readBody(directoryId: string, batchId: string): Promise<string | undefined>;
  /**
   * Records a successful attempt, which moves the cursor, and begins the next one: its row exists before anything is sent. One statement,
   * because it runs for every event. An attempt after a success counts as a start; any other one only with `countsStart`. `outdated`: the
   * address or the secrets changed meanwhile, and no attempt begins, but a start is counted.
   */
  concludeAndBeginAttempt(lane: DeliveryLane, turn: DeliveryTurn): Promise<BegunTurn>;
  /**
   * The same for several lanes in one statement. All turns are of one kind (share-turns.ts). Leaves out lanes that are superseded or whose
   * endpoint is locked. A lane whose secrets can't be decrypted rejects.
   */
  takeTurns(turns: SharedTurn[]): Promise<Map<string, Promise<BegunTurn>>>;
  /**
   * Records a failed attempt. `alerted`: kept, and an event for the operator was stored. `moved`: the webhook's address or secret was changed
   * meanwhile, so the failure does not count.
   */
  recordFailure(lane: DeliveryLane, concluded: ConcludedAttempt, failure: Failure): Promise<'kept' | 'alerted' | 'moved' | 'superseded'>;
  /**
   * Stores an event for the operator if the directory's delivery has recovered since the
   * operator was told of its failure. Returns whether it has.
   */
  announceRecovery(directoryId: string): Promise<boolean>;
  /** Deletes the bodies of some delivered events. Returns whether there are more. */
  deleteDeliveredBodies(lane: DeliveryLane): Promise<boolean>;
  /** Nothing is left to deliver. With `keepWatch` the wake flag stays up, because the drain watches for new events itself. */
  goIdle(lane: DeliveryLane, how: { keepWatch: boolean; usedSecretIds: string[] }): Promise<RunningReplay | 'superseded' | undefined>;
  /** Ends the watch: changes wake the delivery again. */
  stopWatching(lane: DeliveryLane): Promise<{ lastSequence: number } | 'superseded'>;
  /** Marks a replay as done. */
  finishReplay(lane: DeliveryLane, replayId: string): Promise<void>;
  /** Directories with undelivered events whose delivery has shown no sign of life for this long. */
  findStalled(limit: number, silentMs: number): Promise<StalledDelivery[]>;
  /** Batch mode: raises the wake flags of directories with undelivered events, and returns them. */
  wakeBacklogs(limit: number): Promise<string[]>;
  /** Lowers the wake flags again, because the deliveries could not be woken. */
  lowerWakeFlags(directoryIds: string[]): Promise<void>;
}

/** A lane whose process is gone. */
export interface AbandonedLane extends DeliveryLane {
  activityId: string;
}

export interface WorkerLeaseStore {
  /** Sets when this worker counts as dead, and returns the other workers with the time until they do. */
  renewLease(workerId: string, leaseMs: number): Promise<{ id: string; leftMs: number }[]>;
  /** The worker ends now: others take over the lanes that it still has. */
  endLease(workerId: string): Promise<void>;
  /** The drains of these lanes have ended. A lane that was taken since then is left as it is. Returns those that are locked. */
  releaseLanes(lanes: DeliveryLane[]): Promise<DeliveryLane[]>;
  /**
   * Lanes of these workers, whose leases have expired, those with undelivered events first. A lane is not returned again for 2 seconds, to this
   * process or another one.
   * A lane that was taken since by a process of the release before is left to it.
   */
  claimAbandoned(workerIds: string[], limit: number): Promise<AbandonedLane[]>;
  /** Deletes those of these workers that ended a minute ago and have no lane. */
  forgetWorkers(workerIds: string[]): Promise<void>;
}

/** Wakes the delivery of a directory. Extra calls do no harm. */
export type WakeDelivery = (directoryId: string) => Promise<void>;

/** The memory that all lanes of a process share. Directories take turns. */
export interface DeliveryMemory {
  /** Waits for memory. Undefined if there is none in time, or the signal is aborted. */
  enter(directoryId: string, bytes: number, wait: { timeoutMs: number; signal: AbortSignal }): Promise<HeldMemory | undefined>;
  /** Undefined if there is no memory, or other lanes wait for it. */
  tryEnter(directoryId: string, bytes: number): HeldMemory | undefined;
  /** Whether a lane waits for memory. */
  isScarce(): boolean;
}

export interface HeldMemory {
  resize(bytes: number): void;
  release(): void;
}

/** Notifies a running drain of new events and replays. */
export interface SequenceWatch {
  /**
   * Waits until the directory's last sequence is above `after`, and returns it. `ended`: there is a replay, nothing can be delivered now, or
   * the wake flag was lowered, which asks the drain to end. Undefined after `timeoutMs`.
   */
  waitFor(directoryId: string, after: number, options: { timeoutMs: number; signal: AbortSignal }): Promise<number | 'ended' | undefined>;
  /** This process may just have committed events of the directory. */
  hint(directoryId: string): void;
}

/** Undelivered events of all directories. */
export interface Backlog {
  events: number;
  /** Number of directories with undelivered events, by the status of their delivery. */
  directories: Record<string, number>;
  oldestSeconds: number;
}

export interface SigningSecret {
  id: string;
  secret: string;
}

export interface SendRequest {
  /** The `webhook-id`. */
  id: string;
  url: string;
  body: string;
  /** The newest comes first. The request is signed with each of them. */
  secrets: SigningSecret[];
  /** Adds signatures as Polis sends them; undefined: the sender's default. */
  legacySignatures: boolean | undefined;
  /** Additional headers, for a replay or a test. */
  headers?: Record<string, string>;
}

export const failedOutcomes = ['http_error', 'timeout', 'dns', 'tls', 'connect', 'blocked'] as const;
export type FailedOutcome = (typeof failedOutcomes)[number];
/** `aborted`: Rollcall stopped during the attempt, which is not a failure. */
export const sendOutcomes = ['success', ...failedOutcomes, 'aborted'] as const;
export type SendOutcome = (typeof sendOutcomes)[number];

export interface SendResult {
  outcome: SendOutcome;
  statusCode?: number;
  /** A sentence for an operator who asks why nothing arrives. */
  error?: string;
  /** The response's `Retry-After`, in any of its formats. */
  retryAfterMs?: number;
  details: AttemptDetails;
}

/** The request and response for the delivery log, without secrets. */
export interface AttemptDetails {
  /** The IP address of the receiver. */
  address?: string;
  requestHeaders: Record<string, string>;
  responseHeaders?: Record<string, string>;
  /** The first 16 KiB. */
  responseBody?: string;
  responseTruncated?: boolean;
  /** Whole milliseconds. A reused connection has no `dnsMs` and `connectMs`. */
  timings: { dnsMs?: number; connectMs?: number; firstByteMs?: number; totalMs: number };
}

/** Posts a webhook. Never throws: every failure is a result. The timeout includes the last byte of the response. */
export type SendWebhook = (request: SendRequest, options: { signal: AbortSignal; timeoutMs: number }) => Promise<SendResult>;
