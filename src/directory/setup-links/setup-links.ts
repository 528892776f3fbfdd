import { randomBytes } from 'node:crypto';
import type { Caller } from '../../access/caller.ts';
import { intersect } from '../../access/narrowing.ts';
import { AppError } from '../../errors.ts';
import { isId } from '../../ids.ts';
import type { Directories, DirectoryWithHealth } from '../directories/directories.ts';
import {
  type Directory,
  type DirectoryType,
  isPulledType,
  isScheduledType,
  polisProviderNames,
  type PulledType,
} from '../directories/directory.ts';
import type { ScimSecrets } from '../directories/scim-secrets.ts';
import type { DirectoryInList, GroupStore } from '../ports.ts';
import type { Roles } from '../roles/roles.ts';
import type { ContinuedPage, PageRequest } from '../page.ts';
import { createChangeLimit } from './change-limit.ts';
import { hasBeenPushedTo, isConnected } from './progress.ts';
import {
  type CreatedSetupLink,
  type NewSetupLink,
  type SetupLink,
  type SetupLinkFilter,
  type SetupLinkStore,
  isFinished,
  setupLinkId,
} from './setup-link.ts';
import { giveRole, showRoles, type ShownRole, takeRole } from './setup-roles.ts';

interface SetupLinksDeps {
  store: SetupLinkStore;
  roles: Pick<Roles, 'get' | 'change'>;
  groups: Pick<GroupStore, 'listAcross'>;
  directories: Pick<Directories, 'create' | 'list' | 'getWithHealth' | 'update' | 'remove'>;
  scimSecrets: Pick<ScimSecrets, 'rotate'>;
  /** Default: how long a new link works. */
  ttlMs: number;
  /** Whether an application of the provider is configured. */
  offersConsent(type: PulledType): boolean;
  findWebhookUrlProblem(url: string): string | undefined;
  now?: () => number;
}

export interface SetupLinkRequest extends Omit<NewSetupLink, 'id' | 'token' | 'mayDelete' | 'createdBy'> {
  ttlMs: number | undefined;
  /** Creates a new link even if there is a valid one, which then no longer works. */
  regenerate: boolean;
}

export type SetupLinks = ReturnType<typeof createSetupLinks>;

/** Of the newest groups. Any other name can be typed. */
const maxSuggestedGroups = 200;
/** A link shows at most this many directories. */
const maxDirectories = 20;
/** How long the previous secret of a directory that is in use stays valid. */
const overlapMs = 86_400_000;
/** A form that is sent twice gets the last page twice, for this long after a link was completed. */
const finishedGraceMs = 5 * 60_000;
const tokenPattern = /^[0-9a-f]{48}$/;

/** Creates and revokes setup links, and does what an administrator asks for with one. */
export function createSetupLinks({
  store,
  roles,
  groups,
  directories,
  scimSecrets,
  ttlMs,
  offersConsent,
  findWebhookUrlProblem,
  now = Date.now,
}: SetupLinksDeps) {
  // Each change of a role table computes all users of the directory again, and tells those that differ.
  const countRoleChange = createChangeLimit({ now, atOnce: 20, subject: 'The roles of a directory change' });
  const countChange = createChangeLimit({ now, atOnce: 60, subject: 'A setup link changes directories' });
  return {
    async create(caller: Caller, { ttlMs: ownTtlMs = ttlMs, regenerate, ...request }: SetupLinkRequest): Promise<CreatedSetupLink> {
      assertMayCreate(caller, request);
      const problem = findWebhookUrlProblem(request.webhookUrl);
      if (problem) throw new AppError('invalid_request', `webhook_url ${problem}`, { field: 'webhook_url' });
      assertOffered(request.provider);
      const { narrowed, scopes, type, id, name } = caller;
      const callerFields = { mayDelete: scopes.has('directories:delete'), createdBy: { type, id, name } };
      const link = { ...request, ...callerFields, id: setupLinkId(request), token: randomBytes(24).toString('hex') };
      return store.create(narrowed, link, { ttlMs: ownTtlMs, replaces: regenerate });
    },

    async list(
      { narrowed }: Caller,
      owner: { tenant?: string; product?: string },
      page: PageRequest<string>,
      filter: SetupLinkFilter = {},
    ): Promise<ContinuedPage<SetupLink, string>> {
      const within = intersect(narrowed, owner);
      return within ? store.list(within, page, filter) : { resources: [], next: undefined };
    },

    async get({ narrowed }: Caller, id: string): Promise<SetupLink> {
      const link = await store.get(narrowed, id);
      if (!link) throw linkNotFound();
      return link;
    },

    async revoke({ narrowed }: Caller, id: string): Promise<void> {
      if (!(await store.revoke(narrowed, id))) throw linkNotFound();
    },

    /** Finds the link of a token. `acceptsFinished` also finds one that was completed just now: it can only be completed again. */
    async find(token: string, { acceptsFinished = false } = {}): Promise<SetupLink> {
      const link = tokenPattern.test(token) ? await store.findByToken(token) : undefined;
      if (!link) throw linkNotFound();
      if (acceptsFinished && isFinished(link) && now() - link.completedAt!.getTime() < finishedGraceMs) return link;
      assertOpen(link);
      return link;
    },

    async markOpened(link: SetupLink): Promise<void> {
      if (!link.openedAt) await store.markOpened(link);
    },

    async listDirectories({ tenant, product }: SetupLink): Promise<DirectoryInList[]> {
      return (await directories.list({ tenant, product }, { offset: 0, limit: maxDirectories })).resources;
    },

    /** Creates the directory, or returns the existing one. Only a new one has its secret. */
    async createDirectory(link: SetupLink, type: DirectoryType): Promise<{ directory: Directory; isNew: boolean }> {
      assertMayChange(link);
      const { tenant, product, name = '', webhookUrl, webhookSecret, provider } = link;
      if (provider !== undefined && provider !== type)
        throw new AppError('invalid_request', 'This setup link is for another provider.', { field: 'type' });
      if (isPulledType(type) && !offersConsent(type))
        throw new AppError('invalid_request', `No ${polisProviderNames[type]} client is configured: choose another provider.`, {
          field: 'type',
        });
      let isNew = false;
      const directory = await directories.create({ tenant, product, type, name, webhookUrl, webhookSecret }, async (requested) => {
        const found = await store.createDirectory(link, requested);
        if (!found) throw linkNotFound();
        isNew = found.id === requested.id;
        return found;
      });
      return { directory, isNew };
    },

    getDirectory: find,

    async update(link: SetupLink, id: string, deactivated: boolean): Promise<Directory> {
      assertMayChange(link);
      const { directory } = await find(link, id);
      return (await directories.update(directory.id, { deactivated })).directory;
    },

    async removeDirectory(link: SetupLink, id: string): Promise<'removed' | 'removing'> {
      assertMayChange(link);
      if (!link.mayDelete) throw new AppError('forbidden', 'This setup link cannot delete directories, because its creator could not.');
      const { directory } = await find(link, id);
      // The page asks whether to delete it.
      return directories.remove(directory.id, { confirmed: 'all' });
    },

    /** Until the first push, nothing uses the previous secret, so it ends immediately. */
    async createSecret(link: SetupLink, id: string): Promise<{ secret: string; previousValidUntil: Date | undefined }> {
      assertMayChange(link);
      const found = await find(link, id);
      return scimSecrets.rotate(found.directory.id, { overlapMs: hasBeenPushedTo(found) ? overlapMs : 0, expiresAt: undefined });
    },

    /** The role table of a directory, and names of its groups. */
    async getRoles(link: SetupLink, id: string): Promise<{ found: DirectoryWithHealth; rows: ShownRole[]; groupNames: string[] }> {
      const found = await findWithRoles(link, id);
      const { id: key } = found.directory;
      const [present, listed] = await Promise.all([
        roles.get(key),
        groups.listAcross([key], { page: { offset: 0, limit: maxSuggestedGroups } }),
      ]);
      return { found, rows: showRoles(present, link.roles), groupNames: listed.resources.map(({ displayName }) => displayName) };
    },

    async giveRole(link: SetupLink, id: string, given: { group: string; role: string }): Promise<DirectoryWithHealth> {
      const found = await findWithRoles(link, id);
      await changeRoles(found, (present) => giveRole(present, link.roles, given));
      return found;
    },

    async takeRole(link: SetupLink, id: string, ref: string): Promise<DirectoryWithHealth> {
      const found = await findWithRoles(link, id);
      await changeRoles(found, (present) => takeRole(present, link.roles, ref));
      return found;
    },

    /** Fails unless the provider has connected. */
    async complete(link: SetupLink, id: string): Promise<void> {
      const found = await find(link, id);
      if (!isFinished(link) && !isConnected(found))
        throw new AppError('invalid_request', 'The identity provider has not connected yet: finish the steps first.');
      if (!(await store.complete(link, found.directory.id))) throw linkNotFound();
    },
  };

  /** What is rejected does not count. */
  async function changeRoles({ directory }: DirectoryWithHealth, compute: Parameters<Roles['change']>[1]): Promise<void> {
    let isCounted = false;
    await roles.change(directory.id, (present) => {
      const table = compute(present);
      // It is computed again if others change the table at the same time.
      if (!isCounted) countRoleChange(directory.id);
      isCounted = true;
      return table;
    });
  }

  /** A link whose only provider is not offered would lead nowhere. */
  function assertOffered(provider: DirectoryType | undefined): void {
    if (provider === undefined || !isPulledType(provider) || offersConsent(provider)) return;
    const cause = isScheduledType(provider) ? `no ${polisProviderNames[provider]} client is configured` : 'setup links take no files';
    throw new AppError('invalid_request', `provider cannot be ${provider}: ${cause}`, { field: 'provider' });
  }

  function assertOpen(link: SetupLink): void {
    if (isFinished(link) || link.expiresAt.getTime() <= now()) throw new AppError('unauthorized', 'Setup link is expired');
  }

  function assertMayChange(link: SetupLink): void {
    assertOpen(link);
    countChange(link.id);
  }

  /** Fails unless the link offers roles. */
  async function findWithRoles(link: SetupLink, id: string): Promise<DirectoryWithHealth> {
    assertOpen(link);
    if (link.roles.length === 0) throw new AppError('forbidden', 'This setup link offers no roles.');
    return find(link, id);
  }

  /** The error is the same for a directory of another tenant and for none. */
  async function find({ tenant, product }: SetupLink, id: string): Promise<DirectoryWithHealth> {
    const found = isId(id) ? await directories.getWithHealth(id).catch(undefinedIfMissing) : undefined;
    if (found?.directory.tenant !== tenant || found.directory.product !== product)
      throw new AppError('invalid_request', 'Tenant/Product mismatch');
    return found;
  }
}

function undefinedIfMissing(error: unknown): undefined {
  if (!(error instanceof AppError && error.code === 'not_found')) throw error;
}

const linkNotFound = () => new AppError('not_found', 'Setup link is not found');

/** The errors do not disclose what exists. A link gives access to all directories of its tenant and product. */
function assertMayCreate({ narrowed, scopes, type }: Caller, owner: { tenant: string; product: string }): void {
  // A link does what this scope allows.
  if (!scopes.has('directories:write'))
    throw new AppError(
      'insufficient_scope',
      `${type === 'person' ? 'Your role' : 'This API key'} lacks the scope directories:write, which creating a setup link requires.`,
    );
  if (narrowed.directoryId !== undefined)
    throw new AppError('key_narrowed', 'This API key is narrowed to one directory: it cannot create setup links.');
  const field = (['tenant', 'product'] as const).find((name) => narrowed[name] !== undefined && narrowed[name] !== owner[name]);
  if (field)
    throw new AppError('key_narrowed', `This API key is narrowed to another ${field}: it cannot create this setup link.`, { field });
}
