import Router from '@koa/router';
import type { Context } from 'koa';
import { z } from 'zod';
import { directoryQuery, readRequest } from '../../directory/directory-requests.ts';
import type { Authorization, Connection } from '../../directory/sync/authorize.ts';
import { AppError } from '../../errors.ts';
import { isId } from '../../ids.ts';
import { keepBrowser, readBrowser } from '../browser-cookie.ts';
import type { CountFailedAuthentication } from '../count-failed-authentication.ts';
import { answer } from '../envelope.ts';
import { answerPage } from '../page.ts';

export interface GoogleConsentRoutesDeps {
  authorization: Authorization;
  countFailedAuthentication: CountFailedAuthentication;
  baseUrl(): string;
}

const word = z.string('must be given once').min(1, 'must not be empty').max(4_000, 'is too long');
export const confirmationQuery = z.object({
  continue: word.optional().meta({ description: 'Of the link on the page: proves that this browser was shown it.', examples: ['b7Qx…'] }),
});
export const callbackQuery = z.object({
  state: word.meta({ description: 'What Google was given to send back.', examples: ['k3J9…'] }),
  code: word.meta({ description: 'What Google gives for the consent.', examples: ['4/0Ab…'] }),
});
export const refusedQuery = z.object({
  error: word.max(200).meta({ description: 'Why access was not granted, instead of the other two.', examples: ['access_denied'] }),
});

/**
 * Where a customer's administrator comes by, without any key of ours: on the way to Google, and back. Nothing is connected before a page in
 * the same browser has said what it is connected to.
 */
export function googleConsentRoutes({ authorization, countFailedAuthentication, baseUrl }: GoogleConsentRoutesDeps): Router {
  const router = new Router();
  router.get('/api/scim/oauth/authorize', async (ctx) => {
    onlyByGet(ctx.method);
    const { directoryId } = readRequest(directoryQuery, ctx.query);
    const connection = await authorization.describeConsent(directoryId).catch(countWrong(ctx, isId(directoryId) ? directoryId : undefined));
    const browser = readConfirmed(ctx, directoryId);
    if (browser === undefined) return showPage(ctx, connection, directoryId, { directoryId });
    keepBrowser(ctx, baseUrl(), browser);
    return ctx.redirect(await authorization.beginConsent(directoryId, browser));
  });
  router.get('/api/scim/oauth/callback', async (ctx) => {
    onlyByGet(ctx.method);
    const refused = refusedQuery.safeParse(ctx.query);
    if (refused.success) throw new AppError('invalid_request', wordsFor(refused.data.error));
    const { state, code } = readRequest(callbackQuery, ctx.query);
    const unconfirmed = await authorization.findUnconfirmed(state, readBrowser(ctx)).catch(countWrong(ctx));
    if (unconfirmed && readConfirmed(ctx, state) === undefined) return showPage(ctx, unconfirmed, state, { state, code });
    await authorization.complete(state, code).catch(countWrong(ctx));
    if (ctx.accepts('html', 'json') === 'json') answer(ctx, { authorized: true });
    else answerPage(ctx, { title: 'Authorised', text: 'The directory is authorised, and is being read. You may close this window.' });
    return undefined;
  });
  return router;

  /** The browser, if it was shown the page about the subject and the person went on. */
  function readConfirmed(ctx: Context, subject: string): string | undefined {
    const { continue: confirmation } = readRequest(confirmationQuery, ctx.query);
    const browser = readBrowser(ctx);
    if (confirmation === undefined || browser === undefined) return undefined;
    return authorization.isConfirmed(confirmation, subject, browser) ? browser : undefined;
  }

  /** The link on the page leads to the same address, and works with the cookie of this browser only. */
  function showPage(ctx: Context, { name, tenant, product, domain }: Connection, subject: string, query: Record<string, string>): void {
    const isRepeated = ctx.query['continue'] !== undefined;
    const browser = keepBrowser(ctx, baseUrl(), readBrowser(ctx));
    const proof = authorization.confirmation(subject, browser);
    answerPage(ctx, {
      title: 'Connect Google Workspace',
      text: 'This lets the following directory read the users, groups and members of your Google Workspace. It changes nothing there.',
      facts: { Directory: name, Tenant: tenant, Product: product, ...(domain !== '' && { Domain: domain }) },
      note: isRepeated
        ? 'Your browser did not send our cookie back. Allow cookies for this site, then continue.'
        : 'Continue only if you expected this and know who asked for it. Otherwise close this window: nothing has been changed.',
      link: { text: 'Continue', href: `?${new URLSearchParams({ ...query, continue: proof }).toString()}` },
    });
  }

  /** The id of a directory, and a state, are all that a person shows here: a wrong one is a failed authentication. */
  function countWrong(ctx: Context, directoryId?: string) {
    return (error: unknown): never => {
      const isWrong = error instanceof AppError && (error.code === 'not_found' || error.field === 'state');
      throw isWrong ? countFailedAuthentication(ctx, { at: 'consent', directoryId }, error) : error;
    };
  }
}

/** Whoever scans links asks for their heads, and is not to use them up. */
function onlyByGet(method: string): void {
  if (method !== 'GET') throw new AppError('method_not_allowed', 'This address is opened in a browser, by GET.');
}

const wordsFor = (error: string) =>
  error === 'access_denied'
    ? 'Access was not granted. Nothing was changed; begin again to grant it.'
    : `Google did not grant access (${error.replaceAll(/[^\w.-]/g, '?')}). Nothing was changed.`;
