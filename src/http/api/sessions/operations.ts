import type { Context } from 'koa';
import type { z } from 'zod';
import type { Caller } from '../../../access/caller.ts';
import { withPublicId } from '../../../access/narrowing.ts';
import type { Session } from '../../../access/session-ports.ts';
import { AppError } from '../../../errors.ts';
import type { AuthenticatedState } from '../../server/authenticated-state.ts';
import { readCredentials } from '../../server/credentials.ts';
import { assertOwnOrigin } from '../../server/own-origin.ts';
import { clearSessionCookie } from '../../server/session-cookie.ts';
import { browserOf, completeSignIn } from '../../server/sign-in.ts';
import { defineOperation } from '../define-operation.ts';
import { endedSchema, loginLinkSchema, sessionSchema, signInRequest } from './schemas.ts';

export const sessionsPath = '/api/v1/sessions';
const current = `${sessionsPath}/current`;
const common = { tag: 'Sessions', auth: 'session' } as const;
const foreignOrigin = { 403: 'The request does not come from a page of this service.' };

/** Needs no authentication: the API key is in the body. */
export const createSession = defineOperation({
  tag: 'Sessions',
  auth: 'none',
  id: 'createSession',
  audit: ['sign_in.succeeded', 'session.ended'],
  method: 'post',
  path: sessionsPath,
  title: 'Sign in',
  description:
    'For pages of this service: the response sets the cookie of a session, which the other operations take in place of an API key. A request that may change something must come from a page of this service.',
  body: { schema: signInRequest, maxBytes: 8_192 },
  responses: { 201: { description: 'Who is signed in.', headers: ['Set-Cookie'], data: sessionSchema } },
  errors: {
    401: 'The API key is invalid, was revoked, or has expired.',
    403: 'The request does not come from a page of this service, or the key cannot be used from this address.',
    429: 'There were too many failed authentications.',
  },
  handler: async ({ input: { body }, deps, ctx }) => {
    assertOwnOrigin(ctx, deps.baseUrl());
    const signedIn = completeSignIn(ctx, deps, await deps.sessions.signInByKey(body.api_key, browserOf(ctx, deps)));
    return presentSession(signedIn);
  },
});

/** Operations that are authenticated with the cookie of a session. */
export const sessionOperations = [
  defineOperation({
    ...common,
    id: 'getSession',
    method: 'get',
    path: current,
    title: 'Get the session',
    description: 'Who is signed in with the cookie of this request, and what they may do.',
    responses: { 200: { description: 'Who is signed in.', data: sessionSchema } },
    errors: foreignOrigin,
    handler: ({ ctx, caller }) => presentSession({ session: requireSession(ctx), caller }),
  }),
  defineOperation({
    ...common,
    id: 'endSession',
    audit: ['session.ended'],
    method: 'delete',
    path: current,
    title: 'Sign out',
    description: 'Every process rejects the session within a second.',
    responses: { 200: { description: 'The session has ended.', headers: ['Set-Cookie'], data: endedSchema } },
    errors: foreignOrigin,
    handler: async ({ deps, ctx }) => {
      await deps.sessions.end(requireSession(ctx));
      clearSessionCookie(ctx, deps.baseUrl());
      return { ended: 1 };
    },
  }),
  defineOperation({
    ...common,
    id: 'endOwnSessions',
    audit: ['session.ended'],
    method: 'delete',
    path: sessionsPath,
    title: 'Sign out everywhere',
    description: 'Ends all sessions of the person, or of the key that the session began with. Unused login links of the key stop working.',
    responses: { 200: { description: 'The sessions have ended.', headers: ['Set-Cookie'], data: endedSchema } },
    errors: foreignOrigin,
    handler: async ({ deps, ctx }) => {
      const ended = await deps.sessions.endAllOfPerson(requireSession(ctx));
      clearSessionCookie(ctx, deps.baseUrl());
      return { ended };
    },
  }),
  defineOperation({
    tag: 'Sessions',
    auth: 'apiKey',
    scope: 'keys:write',
    reach: 'deployment',
    id: 'sessions.endAll',
    audit: ['session.ended'],
    method: 'delete',
    path: `${sessionsPath}/all`,
    title: 'Sign everyone out',
    description: 'Ends all sessions, and deletes unused login links. Every process rejects them within a second. API keys stay valid.',
    responses: { 200: { description: 'The sessions have ended.', data: endedSchema } },
    handler: async ({ deps }) => ({ ended: await deps.sessions.endAll() }),
  }),
  defineOperation({
    tag: 'Sessions',
    auth: 'apiKey',
    scope: 'keys:write',
    reach: 'narrowed',
    id: 'sessions.createLoginLink',
    audit: ['login_link.created'],
    method: 'post',
    path: '/api/v1/login-links',
    title: 'Create a login link',
    description:
      'The link signs in once, within ten minutes, with the rights of the API key that sends this request, and for as long as the key is valid. A key has at most 20 unused links: a further one deletes the oldest.',
    responses: { 201: { description: 'The login link. It cannot be read again.', data: loginLinkSchema } },
    handler: async ({ deps, ctx }) => {
      const key = readCredentials(ctx);
      if (key === undefined)
        throw new AppError('insufficient_scope', 'A session cannot create a login link: send the request with an API key.');
      const { token, expiresAt } = await deps.sessions.createLoginLink(key);
      return { url: `${deps.baseUrl()}/console/login?token=${token}`, expires_at: expiresAt.toISOString() };
    },
  }),
];

function requireSession(ctx: Context): Session {
  const { session } = ctx.state as AuthenticatedState;
  if (!session) throw new AppError('session_unknown', 'This request has an API key and no session, so there is no session to end.');
  return session;
}

function presentSession({ session, caller }: { session: Session; caller: Caller }): z.output<typeof sessionSchema> {
  const { type, id, name, scopes, narrowed } = caller;
  if (type === 'upload_token') throw new Error('An upload token has no session.');
  return {
    id: session.id,
    actor: { type, id, name },
    method: session.method,
    role: session.grant.role ?? null,
    scopes: [...scopes],
    tenant: narrowed.tenant ?? null,
    product: narrowed.product ?? null,
    directory_id: withPublicId(narrowed).directoryId ?? null,
    created_at: session.createdAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
  };
}
