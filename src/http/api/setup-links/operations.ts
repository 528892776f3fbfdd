import { z } from 'zod';
import type { Caller } from '../../../access/caller.ts';
import { type SetupLink, linkStates, setupLinkId } from '../../../directory/setup-links/setup-link.ts';
import { AppError } from '../../../errors.ts';
import type { HttpDeps } from '../../deps.ts';
import { isForPolis } from '../../server/routing.ts';
import { defineOperation } from '../define-operation.ts';
import { showSecrets } from '../directories/presenter.ts';
import { createListCursors, cursorPageQuery, idPosition, pageBody } from '../cursor.ts';
import { product, tenant } from '../selector.ts';
import { shortText } from '../schema-fields.ts';
import { createSetupLinkRequest, selectSetupLink, toSetupLinkRequest } from './requests.ts';
import { type SetupLinkBody, presentSetupLink, setupLinkSchema } from './schemas.ts';

const all = '/api/v1/directory-sync/setuplinks';
const common = { tag: 'Setup links', auth: 'apiKey', scope: 'setup_links:write', reach: 'narrowed' } as const;
const cursors = createListCursors('setup links', idPosition);
const cursorsOfAll = createListCursors('all setup links', idPosition);

export const setupLinkOperations = [
  defineOperation({
    ...common,
    id: 'setupLinks.create',
    audit: ['setup_link.created', 'setup_link.secrets_read'],
    method: 'post',
    path: all,
    title: 'Create a setup link',
    description:
      'Returns an address at which an administrator of the customer sets up the directory. A tenant and product have one link. A valid link is returned unchanged, unless `regenerate` is true. Also requires the scope `directories:write`. The link can delete directories only if the API key can.',
    body: { schema: createSetupLinkRequest },
    responses: { 201: { description: 'The setup link.', data: setupLinkSchema } },
    handler: async ({ input: { body }, deps, caller }) => {
      const { link, isNew } = await deps.setupLinks.create(caller, toSetupLinkRequest(body));
      // The response that creates a link always shows it.
      return isNew ? presentSetupLink(link, deps.baseUrl(), { url: true, secret: true }) : (await presentRead([link], deps, caller))[0]!;
    },
  }),
  defineOperation({
    ...common,
    id: 'setupLinks.get',
    audit: ['setup_link.secrets_read'],
    method: 'get',
    path: all,
    title: 'Get a setup link',
    description: 'Finds a setup link by `id`, or by `tenant` and `product`.',
    query: selectSetupLink,
    responses: { 200: { description: 'The setup link.', data: setupLinkSchema } },
    errors: { 404: 'There is no such setup link.' },
    handler: async ({ input: { query }, deps, caller }) => {
      const id = toLinkId(query);
      if (id === undefined) throw new AppError('invalid_request', 'Please provide either id or tenant and product');
      return (await presentRead([await deps.setupLinks.get(caller, id)], deps, caller))[0]!;
    },
  }),
  defineOperation({
    ...common,
    id: 'setupLinks.listOfProduct',
    audit: ['setup_link.secrets_read'],
    method: 'get',
    path: `${all}/product`,
    title: 'List the setup links of a product',
    description: 'Lists the setup links of all tenants of a product, newest first, including expired ones.',
    query: cursorPageQuery.extend({ product: selectSetupLink.shape.product }),
    responses: { 200: { description: 'The setup links.', body: pageBody(setupLinkSchema, 'SetupLinkPage', 'setup links') } },
    handler: async ({ input: { query }, deps, caller }) => {
      if (!query.product) throw new AppError('invalid_request', 'Please provide a product', { field: 'product' });
      const scope = [caller.narrowed, query.product];
      const { resources, next } = await deps.setupLinks.list(caller, { product: query.product }, cursors.readPage(query, scope));
      return { data: await presentRead(resources, deps, caller), error: null, next_cursor: cursors.write(next, scope) };
    },
  }),
  defineOperation({
    ...common,
    id: 'setupLinks.listAll',
    audit: ['setup_link.secrets_read'],
    method: 'get',
    path: `${all}/all`,
    title: 'List all setup links',
    description: 'Lists the setup links of all tenants and products, newest first. All given filters must match.',
    query: cursorPageQuery.extend({
      search: shortText.optional().meta({
        description: 'Only links whose tenant, product or name contains this, in capitals or not.',
        examples: ['acme'],
      }),
      tenant: tenant.optional(),
      product: product.optional(),
      state: z
        .enum(linkStates, `must be one of ${linkStates.join(', ')}`)
        .optional()
        .meta({ description: 'Only links in this state. One that was completed stays so when it has expired.', examples: ['opened'] }),
    }),
    responses: { 200: { description: 'The setup links.', body: pageBody(setupLinkSchema, 'SetupLinkPage', 'setup links') } },
    handler: async ({ input: { query }, deps, caller }) => {
      const owner = {
        ...(query.tenant !== undefined && { tenant: query.tenant }),
        ...(query.product !== undefined && { product: query.product }),
      };
      const filter = { state: query.state, search: query.search };
      const scope = [caller.narrowed, owner, filter];
      const { resources, next } = await deps.setupLinks.list(caller, owner, cursorsOfAll.readPage(query, scope), filter);
      return { data: await presentRead(resources, deps, caller), error: null, next_cursor: cursorsOfAll.write(next, scope) };
    },
  }),
  defineOperation({
    ...common,
    id: 'setupLinks.revoke',
    audit: ['setup_link.revoked'],
    method: 'delete',
    path: all,
    title: 'Revoke a setup link',
    description: 'Ends the setup link with this `id`, or of this `tenant` and `product`, immediately. What was set up with it stays.',
    query: selectSetupLink,
    responses: { 200: { description: 'The setup link is revoked.', data: z.strictObject({}) } },
    errors: { 404: 'There is no such setup link.' },
    handler: async ({ input: { query }, deps, caller, ctx }) => {
      const id = toLinkId(query);
      // As in Polis: without a selection nothing is revoked, and an ID that is unknown was revoked before.
      const isLenient = isForPolis(ctx) && query.id !== undefined;
      if (id !== undefined)
        await deps.setupLinks.revoke(caller, id).catch((error: unknown) => {
          if (!(isLenient && error instanceof AppError && error.code === 'not_found')) throw error;
        });
      else if (!isForPolis(ctx)) throw new AppError('invalid_request', 'Please provide either id or tenant and product');
      return {};
    },
  }),
];

function toLinkId({ id, tenant: ofTenant, product: ofProduct }: z.output<typeof selectSetupLink>): string | undefined {
  if (id) return id;
  return ofTenant && ofProduct ? setupLinkId({ tenant: ofTenant, product: ofProduct }) : undefined;
}

async function presentRead(links: SetupLink[], deps: HttpDeps, caller: Caller): Promise<SetupLinkBody[]> {
  const secret = showSecrets(caller, deps).others;
  const shown = links.map((link) => ({ link, url: !deps.showsSecretsOnce && mayUse(caller, link), secret }));
  const read = shown.filter(({ url }) => url || secret).map(({ link }) => link);
  if (read.length > 0) await deps.audit.recordSecretsRead(read, secretsRead);
  return shown.map(({ link, ...its }) => presentSetupLink(link, deps.baseUrl(), its));
}

/** The address may be read only if the API key can do everything that the link can. */
const mayUse = ({ scopes }: Caller, { mayDelete }: SetupLink): boolean =>
  scopes.has('directories:write') && (!mayDelete || scopes.has('directories:delete'));

const secretsRead = {
  action: 'setup_link.secrets_read' as const,
  targetOf: ({ id, tenant: ofTenant, product: ofProduct }: { id: string; tenant: string; product: string }) => ({
    type: 'setup_link' as const,
    id,
    tenant: ofTenant,
    product: ofProduct,
  }),
};
