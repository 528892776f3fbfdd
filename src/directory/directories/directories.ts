import { randomBytes } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { isSameJson } from '../../scim/json.ts';
import { isId, newId } from '../../ids.ts';
import {
  defaultName,
  newConnection,
  emptyConnection,
  nameOfConnectionField,
  pulledTypes,
  isPulledType,
  isScheduledType,
  type Directory,
  type DirectoryChange,
  type DirectoryRemoval,
  type DirectoryType,
  type PulledType,
  type Webhook,
} from './directory.ts';
import { type HealthSelection, toSelectedStatuses } from '../health/health-status.ts';
import type { HourOfActivity } from '../activity/activity.ts';
import { directoryNotFound, noDirectoryMatches } from '../errors.ts';
import type { DirectoryFilter, DirectoryHealth, DirectoryInList, DirectoryOwner, DirectorySelector, DirectoryStore } from '../ports.ts';
import { limitOf, quotaNames, type CostlyQuota, type Quota, type Quotas } from '../quotas.ts';
import type { ProviderConnection } from '../sync/provider.ts';
import type { ContinuedPage, PageRequest } from '../page.ts';

interface DirectoriesDeps {
  store: DirectoryStore;
  /** Like all `…Soon` functions, it does not wait. Maintenance makes up for a failure. */
  wakeSoon(directoryId: string): void;
  /** Deletes the data of a removed directory. */
  deleteSoon(directoryId: string): void;
  /** Begins or continues what is done in batches. */
  runBatchesSoon(directoryId: string): void;
  /** Creates, changes or removes the sync schedule of a pulled directory. */
  updateScheduleSoon(directoryId: string): void;
  /** Wakes the delivery of operator events. */
  wakeOperatorSoon(): void;
  /** Default limits. */
  quotas: Quotas;
  /** Number of searches of the directory in this process. */
  countSearches(directoryId: string): number;
  /** Changes that this process accepted within the last hour, if they are limited. */
  hourlyChangesOf?: ((directoryId: string) => Use<number>) | undefined;
  /** Returns why the directory may only delete now. */
  growthErrorOf?: ((directoryId: string) => string | undefined) | undefined;
  /** Returns why events must not be sent to a URL. */
  findWebhookUrlProblem(url: string): string | undefined;
}

interface Use<Used> {
  used: Used;
  limit: number;
}
type QuotaUse = Record<Exclude<Quota, CostlyQuota>, Use<number>> &
  Record<CostlyQuota, Use<number | undefined>> & { hourlyChanges?: Use<number> };

/** What a caller may set. Settings that are not given are left out. */
export interface DirectorySettings extends Omit<DirectoryChange, 'webhook' | 'connection' | 'boundByConsent' | 'ifAuthorizationVersion'> {
  /** By the provider whose fields were set. */
  connections?: Partial<Record<PulledType, Partial<ProviderConnection>>>;
  /** An empty name is replaced by the default. */
  name?: string;
  /** An empty URL removes the webhook. */
  webhookUrl?: string;
  webhookSecret?: string;
}

/** These are fixed when the directory is created; an update may only repeat them. */
type FixedFields = Partial<Record<'tenant' | 'product' | 'type', string | undefined>>;

export type Directories = ReturnType<typeof createDirectories>;

export interface DirectoryWithHealth {
  directory: Directory;
  health: DirectoryHealth;
  quotas: QuotaUse;
  /** Why it may only delete now. */
  growthError: string | undefined;
}

/** Creates, reads, updates and deletes directories. */
export function createDirectories({
  store,
  wakeSoon,
  wakeOperatorSoon,
  deleteSoon,
  runBatchesSoon,
  updateScheduleSoon,
  quotas: limits,
  countSearches,
  hourlyChangesOf,
  growthErrorOf,
  findWebhookUrlProblem,
}: DirectoriesDeps) {
  return {
    /** `insert` may find one instead, or fail. */
    async create(
      request: DirectorySettings & { tenant: string; product: string; type: DirectoryType },
      insert: DirectoryStore['create'] = store.create,
    ): Promise<Directory> {
      const { tenant, product, type } = request;
      const isPulled = isPulledType(type);
      const connection = toConnection(request, type, undefined);
      const created = await insert({
        id: newId(),
        name: request.name || defaultName(request),
        tenant,
        product,
        type,
        deactivated: request.deactivated ?? false,
        logWebhookEvents: request.logWebhookEvents ?? false,
        acceptsScimSecret: toAcceptsScimSecret(request, type) ?? true,
        userStateEvents: request.userStateEvents ?? false,
        inactiveUsers: request.inactiveUsers ?? 'keep',
        onDirectoryDelete: request.onDirectoryDelete ?? 'silent',
        scimSecret: isPulled ? undefined : randomBytes(24).toString('base64url'),
        webhook: toWebhook(request, undefined, findWebhookUrlProblem) ?? undefined,
        legacySignatures: request.legacySignatures ?? undefined,
        connection: isPulled ? newConnection({ ...connection }) : undefined,
        ...(request.quotas && { quotas: request.quotas }),
      });
      wakeOperatorSoon();
      if (isScheduledType(created.type)) updateScheduleSoon(created.id);
      return created;
    },

    list: (
      owner: DirectoryOwner,
      page: PageRequest<string>,
      { health, ...filter }: Omit<DirectoryFilter, 'among'> & { health?: HealthSelection | undefined } = {},
    ): Promise<ContinuedPage<DirectoryInList, string>> =>
      store.list(owner, page, { ...filter, among: health === undefined ? undefined : toSelectedStatuses(health) }),
    overview: (owner: DirectoryOwner) => store.overview(owner),

    /** Counts of the last hours, the present one last. */
    async activity(directoryId: string): Promise<HourOfActivity[]> {
      const hours = isId(directoryId) ? await store.activity(directoryId) : [];
      if (hours.length === 0) throw directoryNotFound();
      return hours;
    },

    count: (among: DirectoryOwner, products?: string[]) => store.count(among, products),
    get: find,

    async getWithHealth(id: string): Promise<DirectoryWithHealth> {
      const directory = await find(id);
      const health = await store.health(directory.id);
      if (!health) throw directoryNotFound();
      const used = { ...health.used, searches: countSearches(directory.id) };
      const quotas = quotaList.map((quota) => [quota, { used: used[quota], limit: limitOf({ limits, own: health.ownQuotas }, quota) }]);
      const hourlyChanges = hourlyChangesOf?.(directory.id);
      return {
        directory,
        health,
        quotas: { ...(Object.fromEntries(quotas) as QuotaUse), ...(hourlyChanges && { hourlyChanges }) },
        growthError: growthErrorOf?.(directory.id),
      };
    },

    async update(id: string, request: DirectorySettings & FixedFields): Promise<{ directory: Directory; createsWebhookSecret: boolean }> {
      const current = await find(id);
      assertFixedFields(request, current);
      const acceptsScimSecret = toAcceptsScimSecret(request, current.type);
      const webhook = toWebhook(request, current.webhook, findWebhookUrlProblem);
      const connection = toChanged(toConnection(request, current.type, current.connection), current.connection);
      const change: DirectoryChange = {
        ...(request.name !== undefined && { name: request.name || defaultName(current) }),
        ...(request.deactivated !== undefined && { deactivated: request.deactivated }),
        ...(acceptsScimSecret !== undefined && { acceptsScimSecret }),
        ...(request.logWebhookEvents !== undefined && { logWebhookEvents: request.logWebhookEvents }),
        ...(request.userStateEvents !== undefined && { userStateEvents: request.userStateEvents }),
        ...(request.inactiveUsers !== undefined && { inactiveUsers: request.inactiveUsers }),
        ...(request.onDirectoryDelete !== undefined && { onDirectoryDelete: request.onDirectoryDelete }),
        ...(request.confirmedEvents !== undefined && { confirmedEvents: request.confirmedEvents }),
        ...(webhook !== undefined && { webhook }),
        ...(request.legacySignatures !== undefined && { legacySignatures: request.legacySignatures }),
        ...(connection && { connection }),
        ...(request.quotas !== undefined && { quotas: request.quotas }),
      };
      const isSwitched = request.inactiveUsers !== undefined && request.inactiveUsers !== current.inactiveUsers;
      const growthError = isSwitched ? growthErrorOf?.(id) : undefined;
      if (growthError !== undefined) throw new AppError('unavailable', growthError);
      const updated = await store.update(id, change);
      if (!updated) throw directoryNotFound();
      // The delivery also deletes event bodies that are not kept any more. A change of `inactive_users` may have emitted events.
      if (webhook || request.logWebhookEvents === false || request.inactiveUsers !== undefined) wakeSoon(id);
      if (updated.isChangingInactiveUsers) runBatchesSoon(id);
      if (request.deactivated !== undefined) wakeOperatorSoon();
      if (request.deactivated !== undefined && isScheduledType(updated.type)) updateScheduleSoon(id);
      return {
        directory: updated,
        createsWebhookSecret: Boolean(webhook && !request.webhookSecret && webhook.secret !== current.webhook?.secret),
      };
    },

    /** `removing`: its events are delivered first. Asking again changes nothing, unless it is forced. */
    async remove(id: string, removal: DirectoryRemoval = {}): Promise<'removed' | 'removing'> {
      const removed = isId(id) ? await store.remove(id, removal) : 'gone';
      if (removed === 'gone') throw directoryNotFound();
      wakeOperatorSoon();
      if (removed === 'hidden') {
        deleteSoon(id);
        return 'removed';
      }
      // It is deactivated.
      updateScheduleSoon(id);
      runBatchesSoon(id);
      return removed;
    },
  };

  async function find(id: string): Promise<Directory> {
    const directory = isId(id) ? await store.get(id) : undefined;
    if (!directory) throw directoryNotFound();
    return directory;
  }
}

/** `undefined`: the webhook does not change. `null`: it is removed. */
function toWebhook(
  { webhookUrl: url, webhookSecret: secret }: DirectorySettings,
  current: Webhook | undefined,
  findWebhookUrlProblem: DirectoriesDeps['findWebhookUrlProblem'],
): Webhook | null | undefined {
  if (url === undefined && secret === undefined) return undefined;
  const target = url === undefined ? current?.url : url || undefined;
  if (target === undefined) return secret ? { url: undefined, secret } : null;
  const problem = findWebhookUrlProblem(target);
  if (problem) throw new AppError('invalid_request', `webhook_url ${problem}`, { field: 'webhook_url' });
  return { url: target, secret: secret || current?.secret || `whsec_${randomBytes(32).toString('base64')}` };
}

const quotaList = Object.keys(quotaNames) as Quota[];

function assertFixedFields(request: FixedFields, current: Directory) {
  for (const field of ['tenant', 'product', 'type'] as const) {
    if (request[field] !== undefined && request[field] !== current[field])
      throw new AppError('invalid_request', `${field} is fixed: create another directory instead.`, { field });
  }
}

function toAcceptsScimSecret({ acceptsScimSecret: accepts }: DirectorySettings, type: DirectoryType): boolean | undefined {
  if (accepts === false && isPulledType(type))
    throw new AppError('invalid_request', 'accept_scim_secret is for directories that receive pushes only.', {
      field: 'accept_scim_secret',
    });
  return accepts;
}

/** What the request sets of the connection. The fields of another provider are refused. */
function toConnection(
  { connections = {} }: DirectorySettings,
  type: DirectoryType,
  current: ProviderConnection | undefined,
): Partial<ProviderConnection> | undefined {
  for (const provider of pulledTypes) {
    const [first] = Object.keys(connections[provider] ?? {});
    if (first === undefined || provider === type) continue;
    const field = nameOfConnectionField(provider, first);
    throw new AppError('invalid_request', `${field} is for directories of type ${provider} only.`, { field });
  }
  const connection = isPulledType(type) ? connections[type] : undefined;
  if (!connection || Object.keys(connection).length === 0) return undefined;
  const { groups, assignedOnly } = { ...(current ?? emptyConnection), ...connection };
  if (assignedOnly && groups.length > 0)
    throw new AppError('invalid_request', 'entra_groups and entra_assigned_only cannot be used together.', {
      field: 'entra_assigned_only',
    });
  return connection;
}

/** The fields that differ: sending a directory back as it was read does not change its authorization. */
function toChanged(
  given: Partial<ProviderConnection> | undefined,
  current: ProviderConnection | undefined,
): Partial<ProviderConnection> | undefined {
  if (!given || !current) return given;
  const changed = Object.entries(given).filter(([name, value]) => !isSameJson(value, current[name as keyof ProviderConnection]));
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

/** The directories that a query may read: at least one. */
export async function selectDirectories(directories: Pick<DirectoryStore, 'findIds'>, selector: DirectorySelector): Promise<string[]> {
  const found = 'directoryId' in selector && !isId(selector.directoryId) ? [] : await directories.findIds(selector);
  if (found.length === 0) throw noDirectoryMatches();
  return found;
}
