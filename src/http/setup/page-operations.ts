import type { Context } from 'koa';
import { z } from 'zod';
import { directoryTypes } from '../../directory/directories/directory.ts';
import { toDirectoryKey } from '../../directory/directories/former-ids.ts';
import type { DirectoryWithHealth } from '../../directory/directories/directories.ts';
import { field } from '../api/schema-fields.ts';
import type { HttpDeps } from '../deps.ts';
import { assertConsistent, type Operation, type PathParams } from '../operation.ts';
import { escapeHtml } from '../server/html-page.ts';
import { linkDirectoryParams, linkParams } from './api-operations.ts';
import { linkOf } from './authenticate-setup-link.ts';
import { renderChoosePage } from './choose-page.ts';
import { renderConnectPage } from './connect-page.ts';
import { pageErrors, pageOperation, readFields, redirect, viewOf } from './page-request.ts';
import { sendSetupPage } from './render.ts';

const first = '/setup/{token}';
const one = `${first}/directory-sync/{directoryId}`;
const html = { 'text/html': z.string() };
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

function sendConnectPage(ctx: Context, deps: HttpDeps, found: DirectoryWithHealth, secret?: string): void {
  const view = viewOf(ctx, deps);
  sendSetupPage(ctx, view, renderConnectPage(view, { link: linkOf(ctx), found, baseUrl: deps.baseUrl(), secret }));
}

const find = ({ setupLinks }: HttpDeps, ctx: Context, { directoryId = '' }: PathParams) =>
  setupLinks.getDirectory(linkOf(ctx), toDirectoryKey(directoryId));

/** The pages for a customer's administrator. They work without JavaScript, and only forms change anything. */
export const setupPageOperations: Operation[] = [
  {
    ...pageOperation,
    id: 'showSetup',
    method: 'get',
    path: first,
    params: linkParams,
    title: 'Show the first page of a setup link',
    description: 'An administrator chooses the identity provider.',
    responses: { 200: { description: 'The page.', content: html } },
    errors: pageErrors,
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
    ...pageOperation,
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
    errors: pageErrors,
    audit: ['directory.created'],
    async handle(ctx, deps) {
      const link = linkOf(ctx);
      const { directory, isNew } = await deps.setupLinks.createDirectory(link, (await readFields(ctx, typeForm)).type);
      const found = await deps.setupLinks.getDirectory(link, directory.id);
      if (isNew && directory.scimSecret !== undefined) return sendConnectPage(ctx, deps, found, directory.scimSecret);
      redirect(ctx, deps, found.directory);
    },
  },
  {
    ...pageOperation,
    id: 'showSetupDirectory',
    method: 'get',
    path: one,
    params: linkDirectoryParams,
    title: "Show the page of a setup link's directory",
    description: 'The steps at the identity provider, and the status.',
    responses: { 200: { description: 'The page.', content: html } },
    errors: pageErrors,
    async handle(ctx, deps, params) {
      sendConnectPage(ctx, deps, await find(deps, ctx, params));
    },
  },
  {
    ...pageOperation,
    id: 'changeSetupDirectory',
    method: 'post',
    path: one,
    params: linkDirectoryParams,
    title: "Make a new secret of a setup link's directory, or finish",
    description:
      'A new secret is shown once. The previous one ends immediately, or after 24 hours if the identity provider has connected. Finishing may revoke the link.',
    body: { schema: actionForm },
    responses: { 200: { description: 'The page with the new secret, or the last page.', content: html } },
    errors: pageErrors,
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
