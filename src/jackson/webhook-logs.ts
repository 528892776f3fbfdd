import type { InProcessCalls } from '../app/in-process-calls.ts';
import { toDirectoryKey } from '../directory/directories/former-ids.ts';
import { AppError } from '../errors.ts';
import type { Rollcall } from '../library/index.ts';
import { createOwnerScope, isError, type OwnerScope, type Selected, type Selector } from './owner-scope.ts';
import { orThrow, toListResponse, toResponse } from './response.ts';
import type { Directory, DirectorySyncEvent, WebhookEventLog } from './types.ts';

/** These calls throw instead of returning an error, as in Polis. */
export interface WebhookLogs {
  /** Later calls on this object by the same asynchronous caller, and all calls on the result, read this tenant's log. */
  setTenantAndProduct(tenant: string, product: string): WebhookLogs;
  getAll(selector?: Selector): Promise<{ data: WebhookEventLog[]; pageToken?: string }>;
  /** Null if there is none. */
  get(id: string): Promise<WebhookEventLog>;
  /** For an application that sends webhooks itself: adds one to the log. */
  log(
    directory: Pick<Directory, 'id' | 'webhook'>,
    event: DirectorySyncEvent | DirectorySyncEvent[],
    status: number,
  ): Promise<WebhookEventLog>;
  delete(id: string): Promise<void>;
  deleteAll(directoryId: string): Promise<void>;
}

export interface WebhookLogsDeps {
  sync: Rollcall;
  deliveryLog: InProcessCalls['deliveryLog'];
}

export function createWebhookLogs(deps: WebhookLogsDeps, owner: OwnerScope = createOwnerScope()): WebhookLogs {
  const { sync, deliveryLog } = deps;
  return {
    setTenantAndProduct: (tenant, product) => createWebhookLogs(deps, owner.set(tenant, product)),

    async getAll(selector) {
      const data = orThrow(toListResponse(await sync.webhookEvents.list(selectOrThrow(selector))));
      return { data: data as WebhookEventLog[] };
    },

    async get(id) {
      const found = toResponse(await sync.webhookEvents.get(id, selectOrThrow()));
      return (found.error?.code === 404 ? null : orThrow(found)) as WebhookEventLog;
    },

    async log(directory, event, statusCode) {
      const { webhook } = directory;
      const selector = { ...selectOrThrow({ directoryId: directory.id }), directoryId: toDirectoryKey(directory.id) };
      const body = JSON.stringify(event);
      const { id, createdAt, delivered } = await deliveryLog.record(selector, {
        url: webhook.endpoint,
        body,
        events: [event].flat().length,
        statusCode,
      });
      return {
        id,
        webhook_endpoint: webhook.endpoint,
        created_at: createdAt.toISOString(),
        status_code: statusCode,
        delivered,
        payload: event,
      };
    },

    async delete(id) {
      const { tenant, product, directoryId } = selectOrThrow();
      const selector = tenant !== undefined && product !== undefined ? { tenant, product } : { directoryId: directoryId! };
      await ignoreNotFound(deliveryLog.dropEvent(selector, id));
    },

    async deleteAll(directoryId) {
      const selected = selectOrThrow({ directoryId, pageLimit: 1 });
      // The list checks ownership: a caller must not delete the log of another owner's directory.
      orThrow(toResponse(await sync.webhookEvents.list(selected)));
      orThrow(toResponse(await sync.webhookEvents.delete({ directoryId })));
    },
  };

  function selectOrThrow(selector?: Selector): Selected {
    const selected = owner.select(selector);
    if (isError(selected)) throw new Error(selected.error.message);
    return selected;
  }
}

async function ignoreNotFound(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
  }
}
