import type { Rollcall } from '../library/index.ts';
import { rejectWithoutOwner, withOwner, type Owner, type Selector } from './owner.ts';
import { toResponse, type Response } from './response.ts';
import type { WebhookEventLog } from './types.ts';

export interface WebhookLogs {
  /** Returns a new view. The object it is called on does not change. */
  setTenantAndProduct(tenant: string, product: string): WebhookLogs;
  getAll(selector?: Selector): Promise<Response<WebhookEventLog[]>>;
  /** Throws if the event cannot be read. */
  get(id: string): Promise<WebhookEventLog>;
  deleteAll(directoryId: string): Promise<void>;
}

export function createWebhookLogs(sync: Rollcall, owner: Owner = {}): WebhookLogs {
  return {
    setTenantAndProduct: (tenant, product) => createWebhookLogs(sync, { tenant, product }),

    async getAll(selector = {}) {
      return (
        rejectWithoutOwner(owner, 'webhookLogs.getAll()', selector.directoryId) ??
        toResponse(await sync.webhookEvents.list(withOwner(owner, selector)))
      );
    },

    async get(id) {
      return orThrow(rejectWithoutOwner(owner, 'webhookLogs.get(id)') ?? toResponse(await sync.webhookEvents.get(id, owner)));
    },

    async deleteAll(directoryId) {
      // The list checks ownership: a view must not delete the log of another owner's directory.
      if (owner.tenant !== undefined)
        orThrow(toResponse(await sync.webhookEvents.list({ ...withOwner(owner, { directoryId }), pageLimit: 1 })));
      orThrow(toResponse(await sync.webhookEvents.delete({ directoryId })));
    },
  };
}

function orThrow<Data>(response: Response<Data>): Data {
  if (response.error) throw new Error(response.error.message);
  return response.data;
}
