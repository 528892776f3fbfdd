import { z } from 'zod';
import type { Caller } from '../../../access/caller.ts';
import { intersect, isNarrowed } from '../../../access/narrowing.ts';
import type { DirectoryOwner } from '../../../directory/ports.ts';
import { accountNarrowed } from '../../../directory/sync/authorization-errors.ts';
import type { HttpDeps } from '../../deps.ts';
import { AppError } from '../../../errors.ts';
import { isForPolis } from '../../server/routing.ts';
import { signalOf } from '../../server/caller-connection.ts';
import { defineOperation, directoryParams } from '../define-operation.ts';
import { createListCursors, cursorPageQuery, idPosition, pageBody } from '../cursor.ts';
import { product, tenant } from '../selector.ts';
import { queryCount, shortText, toTime } from '../schema-fields.ts';
import { type HealthSelection, healthSelections } from '../../../directory/health/health-status.ts';
import { type Directory, type DirectoryType, directoryTypes } from '../../../directory/directories/directory.ts';
import {
  presentCreatedDirectory,
  presentDirectory,
  presentHealth,
  presentRecordedRequest,
  presentWorkflowsUrl,
  showSecrets,
} from './presenter.ts';
import { createDirectoryRequest, rotateScimSecretRequest, toDirectorySettings, updateDirectoryRequest } from './requests.ts';
import {
  createdDirectorySchema,
  deletedDirectorySchema,
  type DirectoryBody,
  directorySchema,
  directoryWithHealthSchema,
  type ListedDirectoryBody,
  listedDirectorySchema,
  type RecordedRequestBody,
  recordedRequestSchema,
  rotatedScimSecretSchema,
} from './schemas.ts';
import { createYieldToEventLoop } from '../../../shared/yield-to-event-loop.ts';
import { type Warning, findWebhookWarnings } from '../../../directory/delivery/webhook-settings.ts';

const all = '/api/v1/directory-sync';
const one = `${all}/{directoryId}`;
const common = { tag: 'Directories', auth: 'apiKey' } as const;
const directories = { 200: { description: 'The directories.', body: pageBody(listedDirectorySchema, 'DirectoryPage', 'directories') } };
const cursors = createListCursors('directories', idPosition);
const cursorsOfRequests = createListCursors('recorded requests', idPosition);
const healthFilter = z
  .enum(healthSelections, `must be one of ${healthSelections.join(', ')}`)
  .optional()
  .meta({ description: 'Only directories with this health; `unhealthy`: all that need attention.', examples: ['failing'] });

const includeSecrets = z
  .enum(['true', 'false'], 'must be true or false')
  .optional()
  .meta({ description: 'With `false`, secrets are null, and the audit log has no read of them; default: true.', examples: ['false'] });
const secretsQuery = z.object({ include_secrets: includeSecrets });
const deletionQuery = z.object({
  confirm: queryCount.optional().meta({
    description: 'How many events the deletion may send: the `confirm` of its error `confirmation_required`.',
    examples: [1825],
  }),
  force: z
    .enum(['true', 'false'], 'must be true or false')
    .optional()
    .meta({
      description: 'With `true`, the directory is gone at once, with events that are not delivered; default: false.',
      examples: ['true'],
    }),
});
const search = shortText.optional().meta({
  description: 'Only directories whose name, tenant or product contains this text, ignoring case, or with this ID.',
  examples: ['acme'],
});
const typeFilter = z
  .enum(directoryTypes, `must be one of ${directoryTypes.join(', ')}`)
  .optional()
  .meta({ description: 'Only directories of this kind of identity provider.', examples: ['okta-scim-v2'] });

export const directoryOperations = [
  defineOperation({
    ...common,
    id: 'directories.create',
    scope: 'directories:write',
    reach: 'narrowed',
    audit: ['directory.created'],
    method: 'post',
    path: all,
    title: 'Create a directory',
    description:
      'The response contains the SCIM address and the secret for the identity provider, and the secret that webhooks are signed with.',
    body: { schema: createDirectoryRequest },
    responses: { 201: { description: 'The new directory.', data: createdDirectorySchema } },
    handler: async ({ input: { body, ignored }, deps, caller }) => {
      const { tenant: ofTenant, product: ofProduct, type } = body;
      assertMayCreate(caller, body);
      assertOwnServiceAccount(caller, body);
      if (isNarrowed(caller.narrowed) && body.entra_tenant_id) throw accountNarrowed('entra_tenant_id');
      const created = await deps.directories.create({ tenant: ofTenant, product: ofProduct, type, ...toDirectorySettings(body) });
      return {
        ...presentCreatedDirectory(created, deps.baseUrl(), showSecrets(caller, deps)),
        ...(await presentWarnings(body, ignored, created, deps)),
      };
    },
  }),
  defineOperation({
    ...common,
    id: 'directories.list',
    scope: 'directories:read',
    reach: 'narrowed',
    audit: ['directory.secrets_read'],
    method: 'get',
    path: all,
    title: 'List directories',
    description: 'Lists the directories of a tenant and product, newest first.',
    query: cursorPageQuery.extend({ tenant, product, health: healthFilter }),
    responses: directories,
    handler: ({ input: { query }, deps, caller }) => list({ tenant: query.tenant, product: query.product }, { query, deps, caller }),
  }),
  defineOperation({
    ...common,
    id: 'directories.listOfProduct',
    scope: 'directories:read',
    reach: 'narrowed',
    audit: ['directory.secrets_read'],
    method: 'get',
    path: `${all}/product`,
    title: 'List the directories of a product',
    description: 'Lists the directories of all tenants of a product, newest first.',
    query: cursorPageQuery.extend({ product, health: healthFilter }),
    responses: directories,
    handler: ({ input: { query }, deps, caller }) => list({ product: query.product }, { query, deps, caller }),
  }),
  defineOperation({
    ...common,
    id: 'directories.listAll',
    scope: 'directories:read',
    reach: 'narrowed',
    audit: ['directory.secrets_read'],
    method: 'get',
    path: `${all}/all`,
    title: 'List all directories',
    description: 'Lists the directories of all tenants and products, newest first.',
    query: cursorPageQuery.extend({
      search,
      tenant: tenant.optional(),
      product: product.optional(),
      type: typeFilter,
      health: healthFilter,
      include_secrets: includeSecrets,
    }),
    responses: directories,
    handler: ({ input: { query }, deps, caller }) =>
      list(
        { ...(query.tenant !== undefined && { tenant: query.tenant }), ...(query.product !== undefined && { product: query.product }) },
        { query, deps, caller },
      ),
  }),
  defineOperation({
    ...common,
    id: 'directories.get',
    scope: 'directories:read',
    audit: ['directory.secrets_read'],
    method: 'get',
    path: one,
    params: directoryParams,
    title: 'Get a directory',
    description: 'Returns a directory with its health.',
    query: secretsQuery,
    responses: { 200: { description: 'The directory.', data: directoryWithHealthSchema } },
    handler: async ({ input: { params, query }, deps, caller, ctx }) => {
      const { directory, ...health } = await deps.directories.getWithHealth(params.directoryId);
      const [presented] = await presentRead([directory], deps, caller, query);
      const warnings = await deps.scimClients.findWarnings(directory);
      return {
        ...presented!,
        ...(warnings.length > 0 && { warnings }),
        health: presentHealth(health),
        ...presentWorkflowsUrl(directory, caller, deps, ctx.get('host')),
      };
    },
  }),
  defineOperation({
    ...common,
    id: 'directories.update',
    scope: 'directories:write',
    audit: ['directory.updated', 'directory.authorized'],
    method: 'patch',
    path: one,
    params: directoryParams,
    title: 'Update a directory',
    description: 'Changes the given fields. An empty `webhook_url` removes the webhook. `tenant`, `product` and `type` cannot be changed.',
    body: { schema: updateDirectoryRequest },
    responses: { 200: { description: 'The updated directory.', data: directorySchema } },
    errors: { 409: 'A change of `inactive_users` would send events, and `confirm` is not their number.' },
    handler: async ({ input: { params, body, ignored }, deps, caller }) => {
      const { tenant: ofTenant, product: ofProduct, type } = body;
      const fixed = { tenant: ofTenant, product: ofProduct, type };
      assertOwnServiceAccount(caller, body);
      await assertSameAccount(caller, params.directoryId, body, deps);
      const { directory, createsWebhookSecret } = await deps.directories.update(params.directoryId, {
        ...fixed,
        ...toDirectorySettings(body),
      });
      const shown =
        body.include_secrets === false
          ? { webhookSecret: createsWebhookSecret, others: false }
          : showSecrets(caller, deps, { createsWebhookSecret });
      return { ...presentDirectory(directory, deps.baseUrl(), shown), ...(await presentWarnings(body, ignored, directory, deps)) };
    },
  }),
  defineOperation({
    ...common,
    id: 'directories.delete',
    scope: 'directories:delete',
    audit: ['directory.deleted'],
    method: 'delete',
    path: one,
    params: directoryParams,
    title: 'Delete a directory',
    description:
      'Deletes a directory with its users, groups and events, delivered or not. With `on_directory_delete: events` it is deactivated, its state is `deleting`, and it is gone once the removals of its users and groups are delivered.',
    query: deletionQuery,
    responses: { 200: { description: 'The directory is deleted, or is being deleted.', data: deletedDirectorySchema } },
    errors: { 409: 'The deletion would send events, and `confirm` is less than their number.' },
    handler: async ({ input: { params, query }, deps, ctx }) => {
      const removal = { confirmed: query.confirm, force: query.force === 'true' };
      const removed = await deps.directories.remove(params.directoryId, removal).catch((error: unknown) => {
        if (!(isForPolis(ctx) && error instanceof AppError && error.code === 'not_found')) throw error;
      });
      return removed === 'removing' ? { state: 'deleting' as const } : {};
    },
  }),
  defineOperation({
    ...common,
    id: 'directories.rotateScimSecret',
    scope: 'directories:write',
    audit: ['directory.scim_secret_rotated'],
    method: 'post',
    path: `${one}/scim/secret/rotate`,
    params: directoryParams,
    title: 'Rotate the SCIM secret',
    description:
      'Creates a new SCIM secret. The previous one stays valid for `overlap_seconds`, while you change it at the identity provider.',
    body: { schema: rotateScimSecretRequest, isOptional: true },
    responses: { 200: { description: 'The new secret.', data: rotatedScimSecretSchema } },
    handler: async ({ input: { params, body }, deps }) => {
      const { secret, overlap_seconds: overlapSeconds, expires_at: expiresAt } = body;
      const rotated = await deps.scimSecrets.rotate(params.directoryId, { secret, overlapMs: overlapSeconds * 1_000, expiresAt });
      return {
        secret: rotated.secret,
        expires_at: toTime(rotated.expiresAt),
        previous_valid_until: toTime(rotated.previousValidUntil),
      };
    },
  }),
  defineOperation({
    ...common,
    id: 'directories.requests',
    scope: 'people:read',
    method: 'get',
    path: `${one}/requests`,
    aliases: [`${one}/scim-requests`],
    params: directoryParams,
    title: 'List recorded SCIM requests',
    description: 'Lists the last 100 requests of the identity provider, newest first, without passwords, and their responses.',
    query: cursorPageQuery,
    responses: { 200: { description: 'The requests.', body: pageBody(recordedRequestSchema, 'RecordedRequestPage', 'requests') } },
    handler: async ({ input: { params, query }, deps, ctx }) => {
      const { id } = await deps.directories.get(params.directoryId);
      const signal = signalOf(ctx);
      const presented: RecordedRequestBody[] = [];
      // Searching a body for unknown attributes may take milliseconds.
      const pause = createYieldToEventLoop(() => signal.throwIfAborted());
      const { resources, next } = await deps.recordedRequests.list(id, cursorsOfRequests.readPage(query, id));
      for (const request of resources) {
        await pause();
        presented.push(presentRecordedRequest(request));
      }
      return { data: presented, error: null, next_cursor: cursorsOfRequests.write(next, id) };
    },
  }),
];

type SecretsQuery = z.output<typeof secretsQuery>;

interface ListFilter {
  health?: HealthSelection | undefined;
  type?: DirectoryType | undefined;
  search?: string | undefined;
}

/** The directories of an owner that the caller may know of. */
async function list(
  owner: DirectoryOwner,
  { query, deps, caller }: { query: z.output<typeof cursorPageQuery> & ListFilter & SecretsQuery; deps: HttpDeps; caller: Caller },
) {
  const within = intersect(caller.narrowed, owner);
  const { health, type, search: text } = query;
  // The form of a cursor from before there were other filters.
  const scope = type === undefined && text === undefined ? [within, health] : [within, health, type, text];
  const page = cursors.readPage(query, scope);
  const { resources, next } = within
    ? await deps.directories.list(within, page, { health, type, search: text })
    : { resources: [], next: undefined };
  const presented = await presentRead(
    resources.map(({ directory }) => directory),
    deps,
    caller,
    query,
  );
  const data: ListedDirectoryBody[] = presented.map((body, index) => ({ ...body, health: resources[index]!.health }));
  return { data, error: null, next_cursor: cursors.write(next, scope) };
}

async function presentRead(found: Directory[], deps: HttpDeps, caller: Caller, query: SecretsQuery): Promise<DirectoryBody[]> {
  const shown = query.include_secrets === 'false' ? { webhookSecret: false, others: false } : showSecrets(caller, deps);
  if (shown.others) await deps.audit.recordSecretsRead(found);
  return found.map((directory) => presentDirectory(directory, deps.baseUrl(), shown));
}

/** Says nothing about what exists. */
function assertMayCreate({ narrowed }: Caller, owner: { tenant: string; product: string }): void {
  if (narrowed.directoryId !== undefined)
    throw new AppError('key_narrowed', 'This API key is narrowed to one directory: it cannot create another one.');
  const field = (['tenant', 'product'] as const).find((name) => narrowed[name] !== undefined && narrowed[name] !== owner[name]);
  if (field)
    throw new AppError('key_narrowed', `This API key is narrowed to another ${field}: it cannot create this directory.`, { field });
}

/** The deployment's application may read the tenants of several customers. A directory may be sent back as it was read. */
async function assertSameAccount(
  { narrowed }: Caller,
  id: string,
  { entra_tenant_id: asked }: { entra_tenant_id?: string | undefined },
  deps: Pick<HttpDeps, 'directories'>,
): Promise<void> {
  if (!isNarrowed(narrowed) || asked === undefined) return;
  const { connection } = await deps.directories.get(id);
  if (asked.trim().toLowerCase() !== (connection?.account ?? '')) throw accountNarrowed('entra_tenant_id');
}

interface ServiceAccountRequest {
  google_admin_email?: string | undefined;
  google_service_account_key?: string | undefined;
}

/** The deployment's service account may read the domains of several tenants, and a directory decides for which administrator it acts. */
function assertOwnServiceAccount({ narrowed }: Caller, request: ServiceAccountRequest): void {
  if (!isNarrowed(narrowed)) return;
  const { google_admin_email: adminEmail, google_service_account_key: key } = request;
  const usesDeployments = key === '' ? adminEmail !== '' : !!adminEmail && key === undefined;
  if (!usesDeployments) return;
  throw new AppError(
    'key_narrowed',
    "This API key is narrowed: it cannot let a directory use the deployment's service account. Send google_service_account_key with google_admin_email.",
    { field: 'google_service_account_key' },
  );
}

interface SecretRequest {
  webhook_secret?: string | null | undefined;
  webhook?: { secret?: string | null | undefined } | null | undefined;
}

const maxNamedFields = 20;
const maxNameLength = 100;
/** A directory may be sent back as it was read. */
const responseFields = new Set(['health', ...Object.keys(directorySchema.shape)]);

async function presentWarnings(
  { webhook_secret: secret, webhook }: SecretRequest,
  ignored: string[],
  directory: Directory,
  { scimClients }: Pick<HttpDeps, 'scimClients'>,
): Promise<{ warnings?: Warning[] }> {
  const unknown = ignored.filter((name) => !responseFields.has(name)).slice(0, maxNamedFields);
  const field = (secret ?? undefined) === undefined ? 'webhook.secret' : 'webhook_secret';
  const warnings = [
    ...findWebhookWarnings(field, secret ?? webhook?.secret ?? undefined, directory.webhook),
    ...(await scimClients.findWarnings(directory)),
    ...unknown.map((name) => toUnknownField(name.slice(0, maxNameLength))),
  ];
  return warnings.length > 0 ? { warnings } : {};
}

const toUnknownField = (field: string): Warning => ({
  code: 'unknown_field',
  field,
  message: `Unknown field ${field}; it was ignored.`,
});
