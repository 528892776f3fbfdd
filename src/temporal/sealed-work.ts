import { Client, isGrpcServiceError } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { readSealedKeyId, type Keyring } from '../keyring.ts';
import { encoding, createCodec } from './codec.ts';
import { createWorkflowClient } from './client.ts';
import { renewableWorkflows, syncSchedulePrefix } from './names.ts';
import { createSyncSchedules } from './sync-schedules.ts';
import { connectTemporal, disconnectTemporal, type TemporalAccess } from './connect.ts';
import { installTemporalRuntime } from './runtime.ts';
import { createLogger } from '../logger.ts';

/** Something open in Temporal, and the IDs of the keys that its payloads are sealed with. */
export interface SealedWork {
  kind: 'workflow' | 'schedule';
  id: string;
  /** The workflow type. */
  type: string;
  keyIds: string[];
}

interface Place {
  connection: NativeConnection;
  namespace: string;
}

const pageSize = 200;
const concurrency = 10;
const grpcNotFound = 5;

/** Finds all open workflows and all schedules. Nothing reads workflows that have ended. */
async function findSealedWork(place: Place, onFound: (count: number) => void = () => undefined): Promise<SealedWork[]> {
  const all: SealedWork[] = [];
  const add = (found: SealedWork[]) => {
    all.push(...found);
    onFound(all.length);
  };
  for await (const ids of listOpenWorkflows(place)) add(await readWorkflows(place, ids));
  for await (const ids of listSchedules(place)) add(await inParallel(ids, (id) => readSchedule(place, id)));
  return all;
}

/** Returns those that are still open. */
const readWorkflows = (place: Place, workflowIds: string[]): Promise<SealedWork[]> =>
  inParallel(workflowIds, (id) => readWorkflow(place, id));

async function* listOpenWorkflows({ connection, namespace }: Place): AsyncGenerator<string[]> {
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await connection.workflowService.listWorkflowExecutions({
      namespace,
      pageSize,
      query: `ExecutionStatus = 'Running'`,
      ...(nextPageToken && { nextPageToken }),
    });
    yield page.executions.flatMap(({ execution }) => execution?.workflowId ?? []);
    ({ nextPageToken } = page);
  } while (nextPageToken && nextPageToken.length > 0);
}

async function* listSchedules({ connection, namespace }: Place): AsyncGenerator<string[]> {
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await connection.workflowService.listSchedules({
      namespace,
      maximumPageSize: pageSize,
      ...(nextPageToken && { nextPageToken }),
    });
    yield page.schedules.flatMap(({ scheduleId }) => scheduleId ?? []);
    ({ nextPageToken } = page);
  } while (nextPageToken && nextPageToken.length > 0);
}

/** A worker replays the history. Heartbeat details are not in it. */
async function readWorkflow({ connection, namespace }: Place, workflowId: string): Promise<SealedWork | undefined> {
  const { workflowService } = connection;
  const described = await workflowService.describeWorkflowExecution({ namespace, execution: { workflowId } });
  const { execution, type, closeTime } = described.workflowExecutionInfo ?? {};
  if (!execution || closeTime) return undefined;
  const keyIds = new Set<string>();
  collectKeyIds(described.pendingActivities, keyIds);
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await workflowService.getWorkflowExecutionHistory({ namespace, execution, ...(nextPageToken && { nextPageToken }) });
    collectKeyIds(page.history?.events, keyIds);
    ({ nextPageToken } = page);
  } while (nextPageToken && nextPageToken.length > 0);
  return { kind: 'workflow', id: workflowId, type: type?.name ?? '', keyIds: [...keyIds] };
}

async function readSchedule({ connection, namespace }: Place, scheduleId: string): Promise<SealedWork> {
  const { schedule } = await connection.workflowService.describeSchedule({ namespace, scheduleId });
  const keyIds = new Set<string>();
  collectKeyIds(schedule, keyIds);
  return { kind: 'schedule', id: scheduleId, type: schedule?.action?.startWorkflow?.workflowType?.name ?? '', keyIds: [...keyIds] };
}

/** What a schedule passes from one run to the next. No workflow reads it, so it may stay sealed with an old key. */
const unread = new Set(['lastCompletionResult', 'continuedFailure']);

/** Payloads are in many places of a history, so this searches all of it. */
function collectKeyIds(value: unknown, into: Set<string>): void {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
  const { metadata, data } = value as { metadata?: { encoding?: unknown }; data?: unknown };
  if (metadata?.encoding instanceof Uint8Array && data instanceof Uint8Array && Buffer.from(metadata.encoding).toString() === encoding) {
    const keyId = readSealedKeyId(data);
    if (keyId !== undefined) into.add(keyId);
    return;
  }
  for (const [name, inner] of Object.entries(value)) if (!unread.has(name)) collectKeyIds(inner, into);
}

/** Leaves out what has ended meanwhile. */
async function inParallel(ids: string[], read: (id: string) => Promise<SealedWork | undefined>): Promise<SealedWork[]> {
  const found: SealedWork[] = [];
  for (let from = 0; from < ids.length; from += concurrency) {
    const some = await Promise.all(
      ids.slice(from, from + concurrency).map((id) =>
        read(id).catch((error: unknown) => {
          if (!isGrpcServiceError(error)) throw error;
          const code: number = error.code;
          if (code !== grpcNotFound) throw error;
          return undefined;
        }),
      ),
    );
    found.push(...some.flatMap((one) => one ?? []));
  }
  return found;
}

interface RenewDeps {
  client: Client;
  connection: NativeConnection;
  namespace: string;
}

/**
 * Makes long-running workflows continue as new, which seals what they hold with the workers' first key, and writes the syncs' schedules
 * again. Other workflows end by themselves. The service's own schedules are written by its workers when they start.
 */
export async function renewWork({ client, connection, namespace }: RenewDeps, work: SealedWork[]): Promise<void> {
  const { renew } = createWorkflowClient(client);
  for (const { kind, id, type } of work) {
    if (kind === 'workflow' && renewableWorkflows.includes(type)) await renew(id);
    if (kind === 'schedule' && id.startsWith(syncSchedulePrefix)) await renewSyncSchedule({ client, connection, namespace }, id);
  }
}

/** Keeps its interval, and whether it is paused. Its old payloads need not be opened. */
async function renewSyncSchedule({ client, connection, namespace }: RenewDeps, scheduleId: string): Promise<void> {
  const { schedule } = await connection.workflowService.describeSchedule({ namespace, scheduleId });
  const everySeconds = Number(schedule?.spec?.interval?.[0]?.interval?.seconds ?? 0);
  if (everySeconds === 0) return;
  const schedules = createSyncSchedules({ client, everySeconds, listPulled: () => Promise.resolve([]) });
  await schedules.keep({ id: scheduleId.slice(syncSchedulePrefix.length), deactivated: schedule?.state?.paused === true });
}

export interface TemporalWork {
  /** All open workflows and schedules with encrypted payloads; with `among`, only those of them that are still open. */
  find(onFound?: (count: number) => void, among?: SealedWork[]): Promise<SealedWork[]>;
  renew(work: SealedWork[]): Promise<void>;
  close(): Promise<void>;
}

const connectTimeoutMs = 5_000;

export async function openTemporalWork(access: TemporalAccess, keyring: Keyring): Promise<TemporalWork> {
  installTemporalRuntime(createLogger('silent'));
  const connection = await connectTemporal(access, connectTimeoutMs);
  const { namespace } = access;
  const client = new Client({ connection, namespace, dataConverter: { payloadCodecs: [createCodec(keyring)] } });
  const place = { connection, namespace };
  return {
    find: (onFound, among) =>
      among
        ? readWorkflows(
            place,
            among.filter(({ kind }) => kind === 'workflow').map(({ id }) => id),
          )
        : findSealedWork(place, onFound),
    renew: (work) => renewWork({ ...place, client }, work),
    close: () => disconnectTemporal(connection),
  };
}
