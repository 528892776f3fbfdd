import { withPublicId } from '../access/narrowing.ts';
import type { ApiKey } from '../access/ports.ts';
import {
  emptyConnection,
  isPulledType,
  nameOfConnectionField,
  type Directory,
  type DirectoryChange,
  type DirectoryType,
} from '../directory/directories/directory.ts';
import { quotaNames, type Quota } from '../directory/quotas.ts';
import type { ProviderConnection } from '../directory/sync/provider.ts';
import { isSameJson } from '../scim/json.ts';
import type { Changes } from './act.ts';

type Former = Omit<Directory, 'connection'> & {
  connection: ProviderConnection | undefined;
  /** Under the names of the API. */
  quotas: Record<string, number> | null;
};

/** A new directory is described by the settings that it has. */
type Changed = Omit<DirectoryChange, 'webhook' | 'legacySignatures' | 'connection'> & {
  webhook?: Directory['webhook'] | null;
  legacySignatures?: boolean | null | undefined;
  /** Of a new directory. */
  type?: DirectoryType;
  connection?: Partial<ProviderConnection> | undefined;
};

/**
 * What an update changed, or a creation set, under the names of the API. Secrets are never shown; of a webhook address only the origin, because
 * the rest is stored encrypted; and of a connection only the domain or the tenant: the others are secrets, or addresses of people and groups.
 */
export function describeChanges(former: Former | undefined, change: Changed): Changes {
  const changes: Changes = {};
  const compare = (name: string, from: unknown, to: unknown) => {
    if (to !== undefined && !isSameJson(from ?? null, to)) changes[name] = { from: from ?? null, to };
  };
  compare('name', former?.name, change.name);
  compare('deactivated', former?.deactivated, change.deactivated);
  compare('accept_scim_secret', former?.acceptsScimSecret ?? true, change.acceptsScimSecret);
  compare('log_webhook_events', former?.logWebhookEvents, change.logWebhookEvents);
  compare('user_state_events', former?.userStateEvents, change.userStateEvents);
  compare('inactive_users', former?.inactiveUsers, change.inactiveUsers);
  compare('on_directory_delete', former?.onDirectoryDelete, change.onDirectoryDelete);
  compare('webhook_legacy_signatures', former?.legacySignatures, change.legacySignatures);
  compare('quotas', former?.quotas, change.quotas && toFields(change.quotas));
  if (change.webhook !== undefined) {
    if (former?.webhook?.url !== change.webhook?.url) {
      const [from, to] = [toOrigin(former?.webhook?.url), toOrigin(change.webhook?.url)];
      changes['webhook_url'] = from === to ? { changed: true } : { from, to };
    }
    if (former?.webhook?.secret !== change.webhook?.secret) changes['webhook_secret'] = { changed: true };
  }
  return { ...changes, ...describeConnection(change.type ?? former?.type, former?.connection, change.connection) };
}

/** What an update of an API key changed, or a creation set. */
export function describeKeyChanges(former: ApiKey | undefined, key: ApiKey): Changes {
  const [from, to] = [former && toKeySettings(former), toKeySettings(key)];
  const names = Object.keys(to) as (keyof typeof to)[];
  return Object.fromEntries(
    names.filter((name) => !isSameJson(from?.[name] ?? null, to[name])).map((name) => [name, { from: from?.[name] ?? null, to: to[name] }]),
  );
}

const toKeySettings = ({ name, scopes, narrowed, allowedNetworks, expiresAt }: ApiKey) => ({
  name,
  scopes,
  directory_id: withPublicId(narrowed).directoryId ?? null,
  allowed_networks: allowedNetworks ?? null,
  expires_at: expiresAt?.toISOString() ?? null,
});

function describeConnection(
  type: DirectoryType | undefined,
  former: ProviderConnection = emptyConnection,
  change: Partial<ProviderConnection> = {},
): Changes {
  if (type === undefined || !isPulledType(type)) return {};
  const changed = (Object.keys(emptyConnection) as (keyof ProviderConnection)[]).filter(
    (field) => field in change && !isSameJson(toComparable(former[field]), toComparable(change[field])),
  );
  return Object.fromEntries(
    changed.map((field) => [
      nameOfConnectionField(type, field),
      field === 'domain' || field === 'account' ? { from: former[field], to: change[field] ?? '' } : { changed: true as const },
    ]),
  );
}

const toFields = (quotas: NonNullable<DirectoryChange['quotas']>) =>
  Object.fromEntries(Object.entries(quotas).map(([quota, limit]) => [quotaNames[quota as Quota].field, limit]));

const toOrigin = (url: string | undefined) => (url === undefined ? null : new URL(url).origin);
const toComparable = (value: unknown) => (value instanceof Date ? value.toISOString() : (value ?? null));
