import { z } from 'zod';
import type { Caller } from '../../../access/caller.ts';
import { intersect } from '../../../access/narrowing.ts';
import { type DirectoryType, directoryTypes } from '../../../directory/directories/directory.ts';
import { type HealthSelection, healthSelections } from '../../../directory/health/health-status.ts';
import type { DirectoryOwner } from '../../../directory/ports.ts';
import type { HttpDeps } from '../../deps.ts';
import { createListCursors, cursorPageQuery, idPosition, pageBody } from '../cursor.ts';
import { defineOperation } from '../define-operation.ts';
import { shortText } from '../schema-fields.ts';
import { product, tenant } from '../selector.ts';
import { includeSecrets, presentRead, type SecretsQuery } from './present-read.ts';
import { type ListedDirectoryBody, listedDirectorySchema } from './schemas.ts';

const all = '/api/v1/directory-sync';
const common = { tag: 'Directories', auth: 'apiKey' } as const;
const directories = { 200: { description: 'The directories.', body: pageBody(listedDirectorySchema, 'DirectoryPage', 'directories') } };
const cursors = createListCursors('directories', idPosition);
const healthFilter = z
  .enum(healthSelections, `must be one of ${healthSelections.join(', ')}`)
  .optional()
  .meta({ description: 'Only directories with this health; `unhealthy`: all that need attention.', examples: ['failing'] });
const search = shortText.optional().meta({
  description: 'Only directories whose name, tenant or product contains this text, ignoring case, or with this ID.',
  examples: ['acme'],
});
const typeFilter = z
  .enum(directoryTypes, `must be one of ${directoryTypes.join(', ')}`)
  .optional()
  .meta({ description: 'Only directories of this kind of identity provider.', examples: ['okta-scim-v2'] });

export const directoryListOperations = [
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
];

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
