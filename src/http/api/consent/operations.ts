import type { Context } from 'koa';
import { z } from 'zod';
import type { Connection, ConsentResult } from '../../../directory/sync/authorization.ts';
import { authorizationTtlMs } from '../../../directory/sync/request-states.ts';
import { pulledServices } from '../../../directory/directories/directory.ts';
import { AppError } from '../../../errors.ts';
import { isId } from '../../../ids.ts';
import type { HttpDeps } from '../../deps.ts';
import { sendPage } from '../../server/html-page.ts';
import { defineOperation, parseRequest } from '../define-operation.ts';
import { directoryFields, requireDirectoryId } from '../selector.ts';
import { randomBytes } from 'node:crypto';

const once = z.string('must be given once');
const word = once.min(1, 'must not be empty').max(4_000, 'is too long');
const confirmationField = {
  continue: word
    .optional()
    .meta({ description: 'From the link on the page: proves that this browser has shown the page.', examples: ['b7Qx…'] }),
};
const callbackQuery = z.object({ state: word, code: word });
const accountQuery = z.object({ state: word, tenant: word });

const common = { tag: 'Google', auth: 'none', format: 'page', method: 'get' } as const;
const pageSchema = { 'text/html': z.string() };

/**
 * The pages for a customer's administrator, who has no API key: on the way to Google and back. Nothing is connected before a page in the
 * same browser has shown what it is connected to.
 */
export const consentOperations = [
  defineOperation({
    ...common,
    id: 'beginGoogleConsent',
    path: '/api/scim/oauth/authorize',
    title: 'Show the consent page',
    description:
      'Shows an administrator what will be connected. The link on the page leads here again, with `continue`, and then to Google. It works only in the browser that was shown the page, which is recognized by a cookie.',
    query: z.object({ ...directoryFields, ...confirmationField }),
    responses: {
      200: { description: 'A page that names the tenant, the product and the directory.', content: pageSchema },
      302: { description: 'Redirects to Google.', headers: ['Location'], content: { ...pageSchema, 'text/plain': z.string() } },
    },
    errors: { 403: 'The directory uses a service account, or is already authorized.', 404: 'There is nothing to authorize.' },
    handler: async ({ input: { query }, deps, ctx }) => {
      assertGet(ctx);
      const { authorization, baseUrl } = deps;
      const id = requireDirectoryId(query);
      const connection = await authorization.describeConsent(id).catch(countFailure(ctx, deps, isId(id) ? id : undefined));
      const browser = readConfirmed(ctx, deps, { confirmation: query.continue, subject: id });
      if (browser === undefined) return showConsent(ctx, deps, { connection, subject: id, query: { directory_id: id } });
      setBrowserCookie(ctx, baseUrl(), browser);
      ctx.redirect(await authorization.beginConsent(id, browser));
      return undefined;
    },
  }),
  defineOperation({
    ...common,
    id: 'completeGoogleConsent',
    audit: ['directory.authorized'],
    path: '/api/scim/oauth/callback',
    title: 'Complete the consent',
    description:
      'Google sends the administrator back here. For a link that was generated with an API key, the consent page is shown now, and the directory is authorized when the administrator continues.',
    query: z.object({
      state: once.optional().meta({ description: 'The `state` that Google was given.', examples: ['k3J9…'] }),
      code: once.optional().meta({ description: 'The code that Google returns after the consent.', examples: ['4/0Ab…'] }),
      admin_consent: once.optional().meta({ description: 'From Microsoft: `True` if consent was given.', examples: ['True'] }),
      tenant: once.optional().meta({
        description: 'From Microsoft, in place of a code: the tenant whose administrator gave consent.',
        examples: ['5f0a8f5e-0f3c-4a39-8d7a-4a2b6f1f6f10'],
      }),
      error_description: once.optional().meta({ description: 'Ignored: it may quote the request.', examples: ['AADSTS65004'] }),
      scope: once.optional().meta({ description: 'Ignored.', examples: ['https://graph.microsoft.com/.default'] }),
      error: once.optional().meta({ description: 'Why access was not granted, in place of the other two.', examples: ['access_denied'] }),
      ...confirmationField,
    }),
    responses: {
      200: {
        description: 'The directory is authorized and is being synced; or the consent page.',
        content: {
          ...pageSchema,
          'application/json': z.strictObject({ data: z.strictObject({ authorized: z.literal(true) }), error: z.null() }),
        },
      },
    },
    errors: { 403: 'The directory is already authorized, or the authorization began in another browser.', 404: true },
    handler: async ({ input: { query }, deps, ctx }) => {
      assertGet(ctx);
      const { authorization } = deps;
      if (query.error) throw new AppError('invalid_request', describeError(query.error.slice(0, 200)));
      const { state, granted, repeated } = readGranted(query);
      const unconfirmed = await authorization.findUnconfirmed(state, readBrowserCookie(ctx)).catch(countFailure(ctx, deps));
      const isConfirmed = readConfirmed(ctx, deps, { confirmation: query.continue, subject: state }) !== undefined;
      if (unconfirmed && !isConfirmed)
        return showConsent(ctx, deps, { connection: unconfirmed, subject: state, query: { state, ...repeated } });
      await authorization.complete(state, granted).catch(countFailure(ctx, deps));
      if (ctx.accepts('html', 'json') === 'json') ctx.body = { data: { authorized: true }, error: null };
      else sendPage(ctx, { title: 'Authorized', text: 'The directory is authorized and is being synced. You may close this window.' });
      return undefined;
    },
  }),
];

/** Google returns a code, Microsoft a tenant. */
function readGranted(query: Record<string, string | undefined>): {
  state: string;
  granted: ConsentResult;
  repeated: Record<string, string>;
} {
  if (query['admin_consent'] === undefined) {
    const { state, code } = parseRequest(callbackQuery, query);
    return { state, granted: { code }, repeated: { code } };
  }
  if (query['admin_consent'].toLowerCase() !== 'true') throw new AppError('invalid_request', describeError('access_denied'));
  const { state, tenant } = parseRequest(accountQuery, query);
  return { state, granted: { account: tenant }, repeated: { admin_consent: 'True', tenant } };
}

/** The browser, if it was shown the page about the subject and the person continued. */
function readConfirmed(
  ctx: Context,
  { authorization }: HttpDeps,
  { confirmation, subject }: { confirmation: string | undefined; subject: string },
): string | undefined {
  const browser = readBrowserCookie(ctx);
  if (confirmation === undefined || browser === undefined) return undefined;
  return authorization.isConfirmed(confirmation, subject, browser) ? browser : undefined;
}

/** The link on the page leads to the same address, and works only with the cookie of this browser. */
function showConsent(
  ctx: Context,
  { authorization, baseUrl }: HttpDeps,
  { connection, subject, query }: { connection: Connection; subject: string; query: Record<string, string> },
): undefined {
  const { name, tenant, product, domain, type } = connection;
  const isRepeated = ctx.query['continue'] !== undefined;
  const browser = setBrowserCookie(ctx, baseUrl(), readBrowserCookie(ctx));
  const proof = authorization.confirmation(subject, browser);
  sendPage(ctx, {
    title: `Connect ${pulledServices[type].name}`,
    text: `This allows the following directory to read the users, groups and members of your ${pulledServices[type].name}. It changes nothing there.`,
    facts: { Directory: name, Tenant: tenant, Product: product, ...(domain !== '' && { Domain: domain }) },
    note: isRepeated
      ? 'Your browser did not send our cookie back. Allow cookies for this site, then continue.'
      : 'Continue only if you expected this and know who asked for it. Otherwise close this window: nothing has been changed.',
    link: { text: 'Continue', href: `?${new URLSearchParams({ ...query, continue: proof }).toString()}` },
  });
}

/** The ID of a directory, and a state, are the only credentials here: a wrong one is a failed authentication. */
function countFailure(ctx: Context, { countFailedAuthentication }: HttpDeps, id?: string) {
  return (error: unknown): never => {
    const isWrong = error instanceof AppError && (error.code === 'not_found' || error.field === 'state');
    throw isWrong ? countFailedAuthentication(ctx, { at: 'consent', directoryId: id }, error) : error;
  };
}

/** Programs that scan links send HEAD, and must not use the link up. */
function assertGet({ method }: Context): void {
  if (method !== 'GET') throw new AppError('method_not_allowed', 'Open this address in a browser, with GET.');
}

const describeError = (error: string) =>
  error === 'access_denied'
    ? 'Access was not granted. Nothing was changed; begin again to grant it.'
    : `Access was not granted (${error.replaceAll(/[^\w.-]/g, '?')}). Nothing was changed.`;

const name = 'rollcall_consent';

/** The secret by which a browser is known while it is led to a provider and back. Only a value that could be ours counts. */
function readBrowserCookie(ctx: Context): string | undefined {
  const value = ctx.cookies.get(name) ?? '';
  return /^[\w-]{43}$/.test(value) ? value : undefined;
}

/** A browser keeps one secret for all its open links. `baseUrl` is where it sees this service. */
function setBrowserCookie(ctx: Context, baseUrl: string, browser = randomBytes(32).toString('base64url')): string {
  const { protocol, pathname } = new URL(baseUrl);
  const attributes = [
    `${name}=${browser}`,
    `Path=${pathname.replace(/\/$/, '')}/api/scim/oauth`,
    `Max-Age=${authorizationTtlMs / 1_000}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(protocol === 'https:' ? ['Secure'] : []),
  ];
  ctx.append('Set-Cookie', attributes.join('; '));
  return browser;
}
