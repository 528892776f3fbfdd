import Router from '@koa/router';
import type { Context } from 'koa';
import { z } from 'zod';
import type { Authorization } from '../../directory/sync/authorize.ts';
import { directoryQuery, readRequest } from '../../directory/directory-requests.ts';
import { AppError } from '../../errors.ts';
import { isId } from '../../ids.ts';
import type { CountFailedAuthentication } from '../count-failed-authentication.ts';
import { answer } from '../envelope.ts';
import { answerPage } from '../page.ts';

export interface GoogleConsentRoutesDeps {
  authorization: Authorization;
  countFailedAuthentication: CountFailedAuthentication;
}

const word = z.string('must be given once').min(1, 'must not be empty').max(4_000, 'is too long');
export const callbackQuery = z.object({
  state: word.meta({ description: 'What Google was given to send back.', examples: ['k3J9…'] }),
  code: word.meta({ description: 'What Google gives for the consent.', examples: ['4/0Ab…'] }),
});
export const refusedQuery = z.object({
  error: word.max(200).meta({ description: 'Why access was not granted, instead of the other two.', examples: ['access_denied'] }),
});

/** Where a customer's administrator comes by, without any key of ours: on the way to Google, and back. */
export function googleConsentRoutes({ authorization, countFailedAuthentication }: GoogleConsentRoutesDeps): Router {
  const router = new Router();
  /** The id of a directory, and a state, are all that a person shows here: a wrong one is a failed authentication. */
  const countWrong = (ctx: Context, directoryId?: string) => (error: unknown) => {
    const isWrong = error instanceof AppError && (error.code === 'not_found' || error.field === 'state');
    throw isWrong ? countFailedAuthentication(ctx, { at: 'consent', directoryId }, error) : error;
  };
  router.get('/api/scim/oauth/authorize', async (ctx) => {
    onlyByGet(ctx.method);
    const { directoryId } = readRequest(directoryQuery, ctx.query);
    ctx.redirect(await authorization.beginConsent(directoryId).catch(countWrong(ctx, isId(directoryId) ? directoryId : undefined)));
  });
  router.get('/api/scim/oauth/callback', async (ctx) => {
    onlyByGet(ctx.method);
    const refused = refusedQuery.safeParse(ctx.query);
    if (refused.success) throw new AppError('invalid_request', wordsFor(refused.data.error));
    const { state, code } = readRequest(callbackQuery, ctx.query);
    await authorization.complete(state, code).catch(countWrong(ctx));
    if (ctx.accepts('html', 'json') === 'json') answer(ctx, { authorized: true });
    else answerPage(ctx, { title: 'Authorised', text: 'The directory is authorised, and is being read. You may close this window.' });
  });
  return router;
}

/** Whoever scans links asks for their heads, and is not to use them up. */
function onlyByGet(method: string): void {
  if (method !== 'GET') throw new AppError('method_not_allowed', 'This address is opened in a browser, by GET.');
}

const wordsFor = (error: string) =>
  error === 'access_denied'
    ? 'Access was not granted. Nothing was changed; begin again to grant it.'
    : `Google did not grant access (${error.replaceAll(/[^\w.-]/g, '?')}). Nothing was changed.`;
