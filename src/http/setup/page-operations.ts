import type { Context } from 'koa';
import { z } from 'zod';
import { directoryTypes } from '../../directory/directories/directory.ts';
import { publicDirectoryId, toDirectoryKey } from '../../directory/directories/former-ids.ts';
import type { DirectoryWithHealth } from '../../directory/directories/directories.ts';
import { field } from '../api/schema-fields.ts';
import { parseRequest } from '../api/define-operation.ts';
import type { HttpDeps } from '../deps.ts';
import { assertConsistent, type Operation, type PathParams } from '../operation.ts';
import { readForm } from '../server/body/read-form.ts';
import { escapeHtml } from '../server/html-page.ts';
import { linkDirectoryParams, linkParams } from './api-operations.ts';
import { linkOf } from './authenticate-setup-link.ts';
import { renderChoosePage } from './choose-page.ts';
import { renderConnectPage } from './connect-page.ts';
import { type Language, languageList, readLanguage } from './languages/languages.ts';
import { type View, createView, sendSetupPage } from './render.ts';

const first = '/setup/{token}';
const one = `${first}/directory-sync/{directoryId}`;
const html = { 'text/html': z.string() };
const query = z.object({
  lang: z
    .enum(languageList as [Language, ...Language[]])
    .optional()
    .meta({ description: 'The language; default: what the browser prefers.', examples: ['de'] }),
});
const common = { tag: 'Setup links', auth: 'none', format: 'page', query } as const;
const errors = {
  400: 'A page says that the request is invalid.',
  403: 'A page says so: the request comes from a page of another site.',
  404: 'A page says that the link does not work, whatever the reason is.',
  429: 'There were too many failed authentications.',
};

const typeForm = z
  .object({
    type: z
      .enum(directoryTypes, `must be one of ${directoryTypes.join(', ')}`)
      .meta({ description: 'The identity provider.', examples: ['okta-scim-v2'] }),
  })
  .meta({ id: 'SetupProviderForm', description: 'The form of the first page.' });
const actionForm = z
  .object({ action: field(z.enum(['secret', 'finish'], 'must be secret or finish'), 'What to do.', 'secret') })
  .meta({ id: 'SetupActionForm', description: 'The forms of the page of a directory.' });

/** Nothing but a button sends these forms. */
async function readFields<Schema extends z.ZodType>(ctx: Context, schema: Schema): Promise<z.output<Schema>> {
  return parseRequest(schema, Object.fromEntries(await readForm(ctx, { maxBytes: 4_096, maxValues: Infinity })));
}

const viewOf = (ctx: Context, { brandingOf, baseUrl }: HttpDeps): View => {
  const { token, product } = linkOf(ctx);
  // The address without the host: a proxy may add a path before it.
  const prefix = new URL(baseUrl()).pathname.replace(/\/$/, '');
  return createView({ ...readLanguage(ctx), prefix, root: `${prefix}/setup/${token}`, branding: brandingOf(product) });
};

function sendConnectPage(ctx: Context, deps: HttpDeps, found: DirectoryWithHealth, secret?: string): void {
  const view = viewOf(ctx, deps);
  const secretRejectedAt = deps.secretRejectedAt(found.directory.id);
  sendSetupPage(ctx, view, renderConnectPage(view, { link: linkOf(ctx), found, baseUrl: deps.baseUrl(), secret, secretRejectedAt }));
}

const find = ({ setupLinks }: HttpDeps, ctx: Context, { directoryId = '' }: PathParams) =>
  setupLinks.getDirectory(linkOf(ctx), toDirectoryKey(directoryId));

/** The pages for a customer's administrator. They work without JavaScript, and only forms change anything. */
export const setupPageOperations: Operation[] = [
  {
    ...common,
    id: 'showSetup',
    method: 'get',
    path: first,
    params: linkParams,
    title: 'Show the first page of a setup link',
    description: 'An administrator chooses the identity provider.',
    responses: { 200: { description: 'The page.', content: html } },
    errors,
    audit: ['setup_link.opened'],
    async handle(ctx, deps) {
      const link = linkOf(ctx);
      // Programs that scan links send HEAD.
      if (ctx.method === 'GET') await deps.setupLinks.markOpened(link);
      const view = viewOf(ctx, deps);
      const directories = await deps.setupLinks.listDirectories(link);
      sendSetupPage(ctx, view, renderChoosePage(view, { link, directories, offersConsent: deps.offersConsent }));
    },
  },
  {
    ...common,
    id: 'chooseSetupProvider',
    method: 'post',
    path: first,
    params: linkParams,
    title: 'Choose the identity provider of a setup link',
    description: 'Creates the directory, if there is none of this type, and shows its secret once.',
    body: { schema: typeForm },
    responses: {
      200: { description: 'The page of the new directory, with its secret.', content: html },
      303: { description: 'Redirects to the page of the directory that there is.', headers: ['Location'] },
    },
    errors,
    audit: ['directory.created'],
    async handle(ctx, deps) {
      const link = linkOf(ctx);
      const { directory, isNew } = await deps.setupLinks.createDirectory(link, (await readFields(ctx, typeForm)).type);
      const found = await deps.setupLinks.getDirectory(link, directory.id);
      if (isNew && directory.scimSecret !== undefined) return sendConnectPage(ctx, deps, found, directory.scimSecret);
      redirect(ctx, deps, found);
    },
  },
  {
    ...common,
    id: 'showSetupDirectory',
    method: 'get',
    path: one,
    params: linkDirectoryParams,
    title: "Show the page of a setup link's directory",
    description: 'The steps at the identity provider, and the status.',
    responses: { 200: { description: 'The page.', content: html } },
    errors,
    async handle(ctx, deps, params) {
      sendConnectPage(ctx, deps, await find(deps, ctx, params));
    },
  },
  {
    ...common,
    id: 'changeSetupDirectory',
    method: 'post',
    path: one,
    params: linkDirectoryParams,
    title: "Make a new secret of a setup link's directory, or finish",
    description:
      'A new secret is shown once. The previous one ends immediately, or after 24 hours if the identity provider has connected. Finishing may revoke the link.',
    body: { schema: actionForm },
    responses: { 200: { description: 'The page with the new secret, or the last page.', content: html } },
    errors,
    audit: ['directory.scim_secret_rotated', 'setup_link.completed', 'setup_link.revoked'],
    async handle(ctx, deps, params) {
      const link = linkOf(ctx);
      const found = await find(deps, ctx, params);
      const { action } = await readFields(ctx, actionForm);
      if (action === 'secret') {
        const { secret } = await deps.setupLinks.createSecret(link, found.directory.id);
        return sendConnectPage(ctx, deps, found, secret);
      }
      await deps.setupLinks.complete(link, found.directory.id);
      sendDonePage(ctx, deps);
    },
  },
];
for (const operation of setupPageOperations) assertConsistent(operation);

/** To a path: the form may lead only to this origin, which another host name may have. */
function redirect(ctx: Context, deps: HttpDeps, { directory }: DirectoryWithHealth): void {
  ctx.redirect(viewOf(ctx, deps).address(`/directory-sync/${publicDirectoryId(directory)}`));
  ctx.body = null;
  ctx.status = 303;
}

/** A link and not a redirect: the form may lead only to this origin. */
function sendDonePage(ctx: Context, deps: HttpDeps): void {
  const { returnUrl, revokeOnCompletion } = linkOf(ctx);
  const view = viewOf(ctx, deps);
  const { say } = view;
  const back =
    returnUrl === undefined
      ? ''
      : `<p><a class="button" href="${escapeHtml(returnUrl)}" rel="noreferrer">${say('back', { host: new URL(returnUrl).host })}</a></p>`;
  const revoked = revokeOnCompletion ? `<p class="soft">${say('doneRevoked')}</p>\n` : '';
  sendSetupPage(ctx, view, {
    title: say('doneTitle'),
    main: `<h1>${say('doneTitle')}</h1>\n<section class="card good"><p class="state">${say('connected')}</p>\n<p>${say('doneText')}</p>\n${revoked}${back}</section>`,
  });
}
