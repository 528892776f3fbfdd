import { z } from 'zod';
import { publicDirectoryId } from '../../directory/directories/former-ids.ts';
import {
  type Directory,
  type DirectoryType,
  directoryTypes,
  isAuthorized,
  polisProviderNames,
} from '../../directory/directories/directory.ts';
import { defineOperation } from '../api/define-operation.ts';
import { scimAddressOf } from '../api/directories/presenter.ts';
import { exampleId, field } from '../api/schema-fields.ts';
import { pathParam } from '../operation.ts';
import { linkOf } from './authenticate-setup-link.ts';

const one = '/api/setup/{token}';
const directories = `${one}/directory-sync`;
const common = { tag: 'Setup links', auth: 'none' } as const;
const token = pathParam("The token in the link's address.", '6f1ed002ab5595859014ebf0951522d96f1ed002ab559585');
export const linkParams = z.object({ token });
export const linkDirectoryParams = z.object({ token, directoryId: pathParam("The directory's ID.", exampleId) });
const linkErrors = {
  401: 'The setup link has expired.',
  403: 'The request comes from a page of another site.',
  404: 'There is no such setup link.',
  429: 'There were too many failed authentications.',
};
const errors = { ...linkErrors, 400: 'The request is invalid, or the directory is not one of the link’s tenant and product.' };

const linkSchema = z
  .strictObject({
    setupID: field(z.string(), "The link's ID.", '5b1f0f2f3c1d7a0e9b8c7d6e5f4a3b2c1d0e9f8a'),
    service: field(z.literal('dsync'), 'What is set up.', 'dsync'),
    name: field(z.string(), 'The name of the new directory, if one was given.', 'Acme in the CRM').optional(),
    validTill: field(z.int(), 'When the link ends, in milliseconds since 1970.', 1_826_786_634_120),
    url: field(z.string(), 'The address of the link.', 'https://sync.example/setup/6f1ed002ab5595859014ebf0951522d96f1ed002ab559585'),
    provider: field(z.enum(directoryTypes).nullable(), 'The only identity provider that the link offers; null: all.', 'okta-scim-v2'),
    return_url: field(z.string().nullable(), 'Where the administrator goes at the end.', 'https://app.example/settings'),
    companyName: field(z.string(), 'The name that the pages show.', 'Example CRM'),
    logoUrl: field(z.string(), 'The logo that the pages show, as a `data:` address.', ''),
    faviconUrl: field(z.string(), 'Always empty.', ''),
    primaryColor: field(z.string(), 'The color of the pages.', '#0b5fff'),
  })
  .meta({ id: 'OpenedSetupLink', description: 'A setup link, as its holder sees it.' });

const listed = {
  id: field(z.string(), "The directory's ID.", exampleId),
  type: field(z.enum(directoryTypes), 'The identity provider.', 'okta-scim-v2' satisfies DirectoryType),
  name: field(z.string(), 'Its name.', 'Acme in the CRM'),
  deactivated: field(z.boolean(), 'Whether it is off.', false),
  state: field(z.literal('deleting'), 'The events of its deletion are delivered first. Missing unless it is being deleted.').optional(),
};
const listedSchema = z
  .strictObject(listed)
  .meta({ id: 'SetupDirectory', description: 'A directory of the tenant and product of a setup link.' });
const scim = z.strictObject({
  path: field(z.string(), 'The path of the SCIM address.', `/api/scim/v2.0/${exampleId}`),
  endpoint: field(z.string(), 'The SCIM address.', `https://sync.example/api/scim/v2.0/${exampleId}`),
  secret: field(z.string().nullable(), 'The secret, in the response that has created it; otherwise null.', 'b7Qx…'),
});
const detailedSchema = z
  .strictObject({
    ...listed,
    scim,
    google_authorized: field(z.boolean(), 'Whether a directory of type `google` is authorized.', false),
    google_authorization_url: field(z.string(), 'Where an administrator authorizes it; empty for other types.', ''),
  })
  .meta({ id: 'SetupDirectoryDetails', description: 'What an administrator enters at the identity provider.' });

const presentListed = (directory: Directory) => ({
  id: publicDirectoryId(directory),
  type: directory.type,
  name: directory.name,
  deactivated: directory.deactivated,
  ...(directory.removingAt && { state: 'deleting' as const }),
});

const presentScim = (directory: Directory, baseUrl: string, isNew: boolean) => ({
  ...scimAddressOf(directory, baseUrl),
  secret: isNew ? (directory.scimSecret ?? '') : directory.scimSecret === undefined ? '' : null,
});

/** What the pages of Polis call. The only credential is the token. */
export const setupOperations = [
  defineOperation({
    ...common,
    id: 'openSetupLink',
    method: 'get',
    path: one,
    params: linkParams,
    title: 'Open a setup link',
    responses: { 200: { description: 'The setup link, and how its pages look.', data: linkSchema } },
    errors: linkErrors,
    audit: ['setup_link.opened'],
    handler: async ({ deps, ctx }) => {
      const link = linkOf(ctx);
      // Programs that scan links send HEAD.
      if (ctx.method === 'GET') await deps.setupLinks.markOpened(link);
      const { name = '', logo = '', color = '' } = deps.brandingOf(link.product);
      return {
        setupID: link.id,
        service: 'dsync' as const,
        ...(link.name !== undefined && { name: link.name }),
        validTill: link.expiresAt.getTime(),
        url: `${deps.baseUrl()}/setup/${link.token}`,
        provider: link.provider ?? null,
        return_url: link.returnUrl ?? null,
        companyName: name,
        logoUrl: logo,
        faviconUrl: '',
        primaryColor: color,
      };
    },
  }),
  defineOperation({
    ...common,
    id: 'listSetupProviders',
    method: 'get',
    path: `${directories}/providers`,
    params: linkParams,
    title: 'List the identity providers',
    responses: {
      200: {
        description: 'The label of each type of directory that the link offers.',
        data: z.partialRecord(z.enum(directoryTypes), z.string()),
        example: { data: { 'okta-scim-v2': 'Okta SCIM v2.0' }, error: null },
      },
    },
    errors: linkErrors,
    handler: ({ ctx }) => {
      const { provider } = linkOf(ctx);
      return Object.fromEntries(Object.entries(polisProviderNames).filter(([type]) => provider === undefined || provider === type));
    },
  }),
  defineOperation({
    ...common,
    id: 'listSetupDirectories',
    method: 'get',
    path: directories,
    params: linkParams,
    title: "List a setup link's directories",
    description: 'Lists the directories of the tenant and product, newest first, at most 20.',
    responses: { 200: { description: 'The directories.', data: z.array(listedSchema) } },
    errors: linkErrors,
    handler: async ({ deps, ctx }) => (await deps.setupLinks.listDirectories(linkOf(ctx))).map(({ directory }) => presentListed(directory)),
  }),
  defineOperation({
    ...common,
    id: 'createSetupDirectory',
    method: 'post',
    path: directories,
    params: linkParams,
    title: 'Create a directory with a setup link',
    description:
      'Creates the directory, with the name and webhook of the link. If there is one of this type already, its ID is returned, without a secret.',
    body: {
      schema: z
        .object({
          type: z
            .enum(directoryTypes, `must be one of ${directoryTypes.join(', ')}`)
            .meta({ description: 'The identity provider.', examples: ['okta-scim-v2'] }),
        })
        .meta({ id: 'CreateSetupDirectoryRequest', description: 'The identity provider.' }),
    },
    responses: {
      201: {
        description: 'The directory.',
        data: z
          .strictObject({ id: listed.id, scim })
          .meta({ id: 'CreatedSetupDirectory', description: 'A new directory, with its secret.' }),
      },
    },
    errors,
    audit: ['directory.created'],
    handler: async ({ input: { body }, deps, ctx }) => {
      const { directory, isNew } = await deps.setupLinks.createDirectory(linkOf(ctx), body.type);
      return { id: publicDirectoryId(directory), scim: presentScim(directory, deps.baseUrl(), isNew) };
    },
  }),
  defineOperation({
    ...common,
    id: 'getSetupDirectory',
    method: 'get',
    path: `${directories}/{directoryId}`,
    params: linkDirectoryParams,
    title: "Get a setup link's directory",
    audit: { none: 'Its secret is always null.' },
    responses: { 200: { description: 'The directory.', data: detailedSchema } },
    errors,
    handler: async ({ input: { params }, deps, ctx }) => {
      const { directory } = await deps.setupLinks.getDirectory(linkOf(ctx), params.directoryId);
      const { type, connection } = directory;
      return {
        ...presentListed(directory),
        scim: presentScim(directory, deps.baseUrl(), false),
        google_authorized: type === 'google' && connection !== undefined && isAuthorized(connection),
        google_authorization_url: type === 'google' ? `${deps.baseUrl()}/api/scim/oauth/authorize` : '',
      };
    },
  }),
  defineOperation({
    ...common,
    id: 'updateSetupDirectory',
    method: 'patch',
    path: `${directories}/{directoryId}`,
    params: linkDirectoryParams,
    title: "Activate or deactivate a setup link's directory",
    body: {
      schema: z
        .object({
          deactivated: z
            .union([z.boolean(), z.enum(['true', 'false'])], 'must be true or false')
            .transform((value) => value === true || value === 'true')
            .meta({ description: 'While true, requests of the identity provider fail with 403.', examples: [true] }),
        })
        .meta({ id: 'UpdateSetupDirectoryRequest', description: 'Whether the directory is off. Nothing else can be changed.' }),
    },
    responses: { 200: { description: 'The directory.', data: listedSchema } },
    errors,
    audit: ['directory.updated'],
    handler: async ({ input: { params, body }, deps, ctx }) =>
      presentListed(await deps.setupLinks.update(linkOf(ctx), params.directoryId, body.deactivated)),
  }),
  defineOperation({
    ...common,
    id: 'deleteSetupDirectory',
    method: 'delete',
    path: `${directories}/{directoryId}`,
    params: linkDirectoryParams,
    title: "Delete a setup link's directory",
    description: 'Deletes the directory with its users, groups and events.',
    responses: {
      200: {
        description: 'The directory is deleted, or will be.',
        data: z
          .strictObject({
            state: field(
              z.literal('deleting'),
              'The events of its deletion are delivered first. Missing if the directory is gone.',
            ).optional(),
          })
          .meta({ id: 'DeletedSetupDirectory', description: 'Whether a directory is gone.' }),
        example: { data: {}, error: null },
      },
    },
    errors: { ...errors, 403: 'The request comes from a page of another site, or the creator of the link could not delete directories.' },
    audit: ['directory.deleted'],
    handler: async ({ input: { params }, deps, ctx }) => {
      const removed = await deps.setupLinks.removeDirectory(linkOf(ctx), params.directoryId);
      return removed === 'removing' ? { state: 'deleting' as const } : {};
    },
  }),
];
