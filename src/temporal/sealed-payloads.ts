import { isGrpcServiceError } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { keyIdOfSealed } from '../keyring.ts';
import { encoding } from './codec.ts';

/** What Temporal keeps of something that goes on, and the ids of the keys that its payloads are sealed under. */
export interface SealedWork {
  kind: 'workflow' | 'schedule';
  id: string;
  /** Of a workflow. */
  type: string;
  keyIds: string[];
}

interface Place {
  connection: NativeConnection;
  namespace: string;
}

const pageSize = 200;
const atOnce = 10;
const grpcNotFound = 5;

/** Every open workflow and every schedule. Workflows that have ended are read by nobody. */
export async function findSealedWork(place: Place, onFound: (count: number) => void = () => undefined): Promise<SealedWork[]> {
  const all: SealedWork[] = [];
  const add = (found: SealedWork[]) => {
    all.push(...found);
    onFound(all.length);
  };
  for await (const ids of listOpenWorkflows(place)) add(await readWorkflows(place, ids));
  for await (const ids of listSchedules(place)) add(await inParallel(ids, (id) => readSchedule(place, id)));
  return all;
}

/** Those of them that are still open. */
export const readWorkflows = (place: Place, workflowIds: string[]): Promise<SealedWork[]> =>
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

/** Its history is what a worker replays; details of heartbeats are beside it. */
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

/** What a schedule hands from one run to the next: no workflow here reads it, and one that can't be opened does no harm. */
const unread = new Set(['lastCompletionResult', 'continuedFailure']);

/** Payloads stand in many places of a history: wherever there is one, it counts. */
function collectKeyIds(value: unknown, into: Set<string>): void {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
  const { metadata, data } = value as { metadata?: { encoding?: unknown }; data?: unknown };
  if (metadata?.encoding instanceof Uint8Array && data instanceof Uint8Array && Buffer.from(metadata.encoding).toString() === encoding) {
    const keyId = keyIdOfSealed(data);
    if (keyId !== undefined) into.add(keyId);
    return;
  }
  for (const [name, inner] of Object.entries(value)) if (!unread.has(name)) collectKeyIds(inner, into);
}

/** What has ended meanwhile is left out. */
async function inParallel(ids: string[], read: (id: string) => Promise<SealedWork | undefined>): Promise<SealedWork[]> {
  const found: SealedWork[] = [];
  for (let from = 0; from < ids.length; from += atOnce) {
    const some = await Promise.all(
      ids.slice(from, from + atOnce).map((id) =>
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
