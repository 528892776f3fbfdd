import { setTimeout as sleep } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { NativeConnection } from '@temporalio/worker';
import { StartupError } from '../errors.ts';
import { searchAttributes } from './names.ts';

/** A new cluster creates its namespace a moment after its start. */
const timeoutMs = 60_000;
const grpc = { notFound: 5, alreadyExists: 6, permissionDenied: 7, unimplemented: 12 };

/** The dev server has them from its start, and a cluster gets them here. In Temporal Cloud, the namespace's owner must add them. */
export async function registerSearchAttributes(connection: NativeConnection, namespace: string): Promise<void> {
  const required = Object.keys(searchAttributes);
  const deadlineMs = Date.now() + timeoutMs;
  for (;;) {
    try {
      const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
      if (required.every((name) => name in customAttributes)) return;
      const type = encodeSearchAttributeIndexedValueType('KEYWORD_LIST')!;
      await connection.operatorService.addSearchAttributes({
        namespace,
        searchAttributes: Object.fromEntries(required.map((name) => [name, type])),
      });
      return;
    } catch (error) {
      if (!isGrpcServiceError(error)) throw error;
      const code: number = error.code;
      if (code === grpc.alreadyExists) return;
      if (code === grpc.permissionDenied || code === grpc.unimplemented) {
        await assertUsable(connection, namespace, required);
        return;
      }
      if (Date.now() > deadlineMs)
        throw new StartupError(`Temporal has no namespace ${namespace}: create it, or correct TEMPORAL_NAMESPACE.`, { cause: error });
      await sleep(500);
    }
  }
}

/** Where attributes can't be listed, a query with them fails if they do not exist. */
async function assertUsable(connection: NativeConnection, namespace: string, names: string[]): Promise<void> {
  try {
    await connection.workflowService.countWorkflowExecutions({ namespace, query: names.map((name) => `${name} = 'none'`).join(' or ') });
  } catch (error) {
    throw new StartupError(
      `The Temporal namespace ${namespace} lacks the search attribute ${names.join(', ')} of type KeywordList: add it there.`,
      { cause: error },
    );
  }
}

/** How long the namespace keeps the history of a workflow that has ended. Rollcall does not read it. */
export async function setHistoryRetention(connection: NativeConnection, namespace: string, retentionMs: number): Promise<void> {
  await connection.workflowService.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl: msToTs(retentionMs) } });
}
