import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The parts of oidc-provider that are used here. */
interface OpenIdProvider {
  use(middleware: (ctx: TokenContext, next: () => Promise<void>) => Promise<void>): void;
  callback(): (request: IncomingMessage, response: ServerResponse) => void;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  AuthorizationCode: { find(code: string): Promise<{ destroy(): Promise<void> }> };
  Grant: new (fields: object) => { addOIDCScope(scope: string): void; save(): Promise<string> };
}

interface TokenContext {
  path: string;
  body: { id_token?: string };
}

interface Client {
  clientId: string;
  redirectUri: string;
}

export type OpenIdServer = Awaited<ReturnType<typeof startOpenIdServer>>;

/** It warns about Node 20, and that it keeps everything in memory. */
async function withoutWarnings<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  const { warn } = console;
  console.warn = () => undefined;
  try {
    return await work();
  } finally {
    console.warn = warn;
  }
}

const loadProvider = () =>
  withoutWarnings(async () => {
    // @ts-expect-error The package has no types.
    const { default: Provider } = (await import('oidc-provider')) as { default: new (issuer: string, options: object) => OpenIdProvider };
    return Provider;
  });

export const openIdSecret = 'a client secret of the tests, which is long enough';

/** A real OpenID provider, at which the next person who comes is `person`. */
export async function startOpenIdServer() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const { privateKey: anotherKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'test', alg: 'RS256', use: 'sig' };
  const state = {
    person: { sub: 'ada', name: 'Ada Lovelace', groups: ['staff', 'sync-admins'] } as Record<string, unknown>,
    /** Changes the claims of the next ID tokens, which are signed again. */
    alterClaims: undefined as ((claims: Record<string, unknown>) => Record<string, unknown>) | undefined,
    /** Signs the next ID tokens with another key. */
    forgesSignature: false,
    /** Denies access. */
    denies: false,
    /** How often a code was sent to it. */
    exchanges: 0,
  };
  const Provider = await loadProvider();
  let provider: OpenIdProvider;
  let isAway = false;
  const server = createServer((request, response) => {
    if (request.url === '/token') state.exchanges += 1;
    if (isAway) return void response.writeHead(503).end();
    if (!request.url!.startsWith('/interaction/')) return provider.callback()(request, response);
    const result = state.denies ? { error: 'access_denied' } : { login: { accountId: String(state.person['sub']) } };
    return void provider.interactionFinished(request, response, result);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const resign = (token: string) => {
    const [, payload] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString()) as Record<string, unknown>;
    const text = [{ alg: 'RS256', kid: 'test' }, state.alterClaims?.(claims) ?? claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return `${text}.${sign('sha256', Buffer.from(text), state.forgesSignature ? anotherKey : privateKey).toString('base64url')}`;
  };

  return {
    issuer,
    state,
    /** The client can be registered only when its address is known. */
    async register({ clientId, redirectUri }: Client): Promise<void> {
      const options = {
        clients: [{ client_id: clientId, client_secret: openIdSecret, redirect_uris: [redirectUri] }],
        jwks: { keys: [jwk] },
        cookies: { keys: ['test'] },
        claims: { openid: ['sub', 'groups'], profile: ['name'], email: ['email'] },
        conformIdTokenClaims: false,
        ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
        features: { devInteractions: { enabled: false } },
        findAccount: (_ctx: unknown, accountId: string) => ({ accountId, claims: () => ({ ...state.person, sub: accountId }) }),
        loadExistingGrant: async (ctx: {
          oidc: { provider: OpenIdProvider; client: { clientId: string }; session: { accountId: string } };
        }) => {
          const { client, session } = ctx.oidc;
          const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
          grant.addOIDCScope('openid profile email');
          await grant.save();
          return grant;
        },
      };
      provider = await withoutWarnings(() => new Provider(issuer, options));
      provider.use(async (ctx, next) => {
        await next();
        if (ctx.path === '/token' && ctx.body.id_token && (state.alterClaims || state.forgesSignature))
          ctx.body = { ...ctx.body, id_token: resign(ctx.body.id_token) };
      });
    },
    async during503(work: () => Promise<void>): Promise<void> {
      isAway = true;
      await work().finally(() => (isAway = false));
    },
    /** As if it had expired. */
    destroyCode: async (code: string) => (await provider.AuthorizationCode.find(code)).destroy(),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
