import { randomBytes } from 'node:crypto';
import { AppError } from '../errors.ts';
import { isSameJson } from '../scim/json.ts';
import { isId, newId } from '../ids.ts';
import { hostedType, noConnection, type Directory, type DirectoryChange, type Webhook } from './directory.ts';
import type { CreateDirectoryRequest, UpdateDirectoryRequest } from './directory-requests.ts';
import { directoryNotFound } from './errors.ts';
import type { DirectoryHealth, DirectoryOwner, DirectoryStore, Page } from './ports.ts';
import { limitOf, quotaNames, type Quota, type Quotas } from './quotas.ts';
import type { HostedConnection } from './sync/provider.ts';

export interface DirectoriesDeps {
  store: DirectoryStore;
  /** Like all `…Soon` functions, it does not wait. Maintenance makes up for a failure. */
  wakeSoon(directoryId: string): void;
  /** Deletes the data of a removed directory. */
  deleteSoon(directoryId: string): void;
  /** Creates, changes or removes the sync schedule of a pulled directory. */
  keepScheduleSoon(directoryId: string): void;
  /** Wakes the delivery of operator events. */
  tellOperatorSoon(): void;
  /** Default limits. */
  quotas: Quotas;
  /** Number of searches of the directory in this process. */
  countSearches(directoryId: string): number;
  /** Changes that this process accepted within the last hour, if they are limited. */
  hourlyChangesOf?: ((directoryId: string) => Use<number>) | undefined;
  /** Returns why events must not be sent to a URL. */
  refuseWebhookUrl(url: string): string | undefined;
}

interface Use<Used> {
  used: Used;
  limit: number;
}
export type QuotaUse = Record<Exclude<Quota, 'groupsPerMember'>, Use<number>> & {
  groupsPerMember: Use<number | undefined>;
  hourlyChanges?: Use<number>;
};

export type Directories = ReturnType<typeof createDirectories>;

/** Creates, reads, updates and deletes directories. */
export function createDirectories({
  store,
  wakeSoon,
  tellOperatorSoon,
  deleteSoon,
  keepScheduleSoon,
  quotas: limits,
  countSearches,
  hourlyChangesOf,
  refuseWebhookUrl,
}: DirectoriesDeps) {
  return {
    async create(request: CreateDirectoryRequest): Promise<Directory> {
      const { tenant, product, type } = request;
      const hosted = type === hostedType;
      const google = toGoogle(request, type);
      const created = await store.create({
        id: newId(),
        name: request.name ?? `scim-${tenant}-${product}`,
        tenant,
        product,
        type,
        deactivated: request.deactivated ?? false,
        logWebhookEvents: request.log_webhook_events ?? false,
        scimSecret: hosted ? undefined : randomBytes(24).toString('base64url'),
        webhook: toWebhook(request, undefined) ?? undefined,
        legacySignatures: request.webhook_legacy_signatures ?? false,
        google: hosted ? { ...noConnection, ...google, refused: undefined, grant: 0 } : undefined,
        ...(request.quotas && { quotas: toQuotas(request.quotas) }),
      });
      tellOperatorSoon();
      if (hosted) keepScheduleSoon(created.id);
      return created;
    },

    list: (owner: DirectoryOwner, page: Page) => store.list(owner, page),
    count: (products?: string[]) => store.count(products),
    get: find,

    async getWithHealth(id: string): Promise<{ directory: Directory; health: DirectoryHealth; quotas: QuotaUse }> {
      const directory = await find(id);
      const health = await store.health(directory.id);
      if (!health) throw directoryNotFound();
      const used = { ...health.used, searches: countSearches(directory.id) };
      const quotas = quotaList.map((quota) => [quota, { used: used[quota], limit: limitOf({ limits, own: health.ownQuotas }, quota) }]);
      const hourlyChanges = hourlyChangesOf?.(directory.id);
      return { directory, health, quotas: { ...(Object.fromEntries(quotas) as QuotaUse), ...(hourlyChanges && { hourlyChanges }) } };
    },

    async update(id: string, request: UpdateDirectoryRequest): Promise<Directory> {
      const current = await find(id);
      assertFixedFields(request, current);
      const webhook = toWebhook(request, current.webhook);
      const google = toChanged(toGoogle(request, current.type), current.google);
      const change: DirectoryChange = {
        ...(request.name !== undefined && { name: request.name }),
        ...(request.deactivated !== undefined && { deactivated: request.deactivated }),
        ...(request.log_webhook_events !== undefined && { logWebhookEvents: request.log_webhook_events }),
        ...(webhook !== undefined && { webhook }),
        ...(request.webhook_legacy_signatures !== undefined && { legacySignatures: request.webhook_legacy_signatures }),
        ...(google && { google }),
        ...(request.quotas !== undefined && { quotas: toQuotas(request.quotas) }),
      };
      const updated = await store.update(id, change);
      if (!updated) throw directoryNotFound();
      // The delivery also deletes event bodies that are not kept any more.
      if (webhook || request.log_webhook_events === false) wakeSoon(id);
      if (request.deactivated !== undefined) tellOperatorSoon();
      if (request.deactivated !== undefined && updated.type === hostedType) keepScheduleSoon(id);
      return updated;
    },

    async remove(id: string): Promise<void> {
      if (!isId(id) || !(await store.remove(id))) throw directoryNotFound();
      deleteSoon(id);
      tellOperatorSoon();
    },
  };

  async function find(id: string): Promise<Directory> {
    const directory = isId(id) ? await store.get(id) : undefined;
    if (!directory) throw directoryNotFound();
    return directory;
  }

  /** `undefined`: the webhook does not change. `null`: it is removed. */
  function toWebhook(request: CreateDirectoryRequest | UpdateDirectoryRequest, current: Webhook | undefined): Webhook | null | undefined {
    const url = request.webhook_url ?? request.webhook?.endpoint;
    const secret = request.webhook_secret ?? request.webhook?.secret;
    if (url === undefined && secret === undefined) return undefined;
    if (url === '' || (url === undefined && !current && secret === '')) {
      if (secret) throw new AppError('invalid_request', 'webhook_secret needs a webhook_url.', { field: 'webhook_secret' });
      return null;
    }
    const target = url ?? current?.url;
    if (target === undefined) throw new AppError('invalid_request', 'webhook_secret needs a webhook_url.', { field: 'webhook_secret' });
    if (secret === '')
      throw new AppError('invalid_request', 'webhook_secret must not be empty; leave it out to have one made.', {
        field: 'webhook_secret',
      });
    const refusal = refuseWebhookUrl(target);
    if (refusal) throw new AppError('invalid_request', `webhook_url ${refusal}`, { field: 'webhook_url' });
    return { url: target, secret: secret ?? current?.secret ?? `whsec_${randomBytes(32).toString('base64')}` };
  }
}

const quotaList = Object.keys(quotaNames) as Quota[];

function toQuotas(given: NonNullable<UpdateDirectoryRequest['quotas']> | null): Partial<Quotas> | null {
  if (given === null) return null;
  return Object.fromEntries(
    quotaList.flatMap((quota) => {
      const limit = given[quotaNames[quota].field];
      return limit === undefined ? [] : [[quota, limit]];
    }),
  );
}

function assertFixedFields(request: UpdateDirectoryRequest, current: Directory) {
  for (const field of ['tenant', 'product', 'type'] as const) {
    if (request[field] !== undefined && request[field] !== current[field])
      throw new AppError('invalid_request', `${field} is fixed: create another directory instead.`, { field });
  }
}

function toGoogle(
  request: CreateDirectoryRequest | UpdateDirectoryRequest,
  type: Directory['type'],
): Partial<HostedConnection> | undefined {
  const {
    google_domain: domain,
    google_access_token: accessToken,
    google_refresh_token: refreshToken,
    google_admin_email: adminEmail,
    google_service_account_key: serviceAccountKey,
    google_groups: groups,
    google_org_units: orgUnits,
  } = request;
  const given = {
    ...(domain !== undefined && { domain }),
    ...(accessToken !== undefined && { accessToken }),
    ...(refreshToken !== undefined && { refreshToken }),
    ...(adminEmail !== undefined && { adminEmail }),
    ...(serviceAccountKey !== undefined && { serviceAccountKey }),
    ...(groups !== undefined && { groups }),
    ...(orgUnits !== undefined && { orgUnits }),
  };
  if (Object.keys(given).length === 0) return undefined;
  if (type !== hostedType) {
    const field = Object.keys(request).find((name) => name.startsWith('google_')) ?? 'google_domain';
    throw new AppError('invalid_request', `${field} is for directories of type ${hostedType} only.`, { field });
  }
  return given;
}

/** The fields that differ: sending a directory back as it was read does not change its authorization. */
function toChanged(
  given: Partial<HostedConnection> | undefined,
  current: HostedConnection | undefined,
): Partial<HostedConnection> | undefined {
  if (!given || !current) return given;
  const changed = Object.entries(given).filter(([name, value]) => !isSameJson(value, current[name as keyof HostedConnection]));
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}
