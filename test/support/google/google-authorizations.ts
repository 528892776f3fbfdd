import { createHash, createVerify, generateKeyPairSync, randomBytes } from 'node:crypto';
import { invalidCredentials, oauthError, apiError, type FakeResponse } from './google-errors.ts';

export const scopes = ['user', 'group', 'group.member'].map((part) => `https://www.googleapis.com/auth/admin.directory.${part}.readonly`);

const tokenAudience = 'https://oauth2.googleapis.com/token';

interface Authorization {
  scope: string;
}

interface Code {
  redirectUrl: string;
  challenge: string | undefined;
  scope: string;
  isOffline: boolean;
}

interface IssuedTokens {
  accessToken: string;
  refreshToken: string;
  expiresAt: Date;
}

export interface GoogleAuthorizations {
  clientId: string;
  clientSecret: string;
  /** The JSON text of a key file. */
  serviceAccountKey: string;
  /** Like after a consent. */
  issueTokens(scope?: string): IssuedTokens;
  /** Revokes all refresh tokens and access tokens, so that a new consent is needed. */
  revokeAuthorization(): void;
  /** The refresh tokens still work. */
  expireAccessTokens(): void;
  /** The service account may no longer impersonate users. */
  revokeDelegation(): void;
  respondToConsent(query: URLSearchParams): FakeResponse;
  respondToToken(form: URLSearchParams): FakeResponse;
  /** The error for an invalid token of a request. */
  findTokenError(authorization: string | undefined, scope: string): FakeResponse | undefined;
}

/** A client and a service account with their authorizations. */
export function createGoogleAuthorizations({ expiresIn }: { expiresIn: number }): GoogleAuthorizations {
  const codes = new Map<string, Code>();
  const refreshTokens = new Map<string, Authorization>();
  const accessTokens = new Map<string, Authorization & { expiresAtMs: number }>();
  // Short, because each fake creates its own.
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const serviceAccount = 'rollcall@fake-project.iam.gserviceaccount.com';
  let isDelegated = true;

  const authorizations: GoogleAuthorizations = {
    clientId: '1234567890-fake.apps.googleusercontent.com',
    clientSecret: randomName('GOCSPX-'),
    serviceAccountKey: JSON.stringify({
      type: 'service_account',
      project_id: 'fake-project',
      private_key_id: 'fake-key',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      client_email: serviceAccount,
      client_id: '112233445566778899000',
      token_uri: tokenAudience,
    }),
    issueTokens(scope = scopes.join(' ')) {
      const refreshToken = randomName('1//fake-');
      refreshTokens.set(refreshToken, { scope });
      const accessToken = issueAccessToken(scope);
      return { accessToken, refreshToken, expiresAt: new Date(accessTokens.get(accessToken)!.expiresAtMs) };
    },
    revokeAuthorization() {
      refreshTokens.clear();
      accessTokens.clear();
    },
    expireAccessTokens: () => accessTokens.clear(),
    revokeDelegation() {
      isDelegated = false;
      accessTokens.clear();
    },
    respondToConsent,
    respondToToken(form) {
      const grantType = form.get('grant_type');
      if (grantType === 'urn:ietf:params:oauth:grant-type:jwt-bearer') return exchangeAssertion(form.get('assertion') ?? '');
      if (form.get('client_id') !== authorizations.clientId || form.get('client_secret') !== authorizations.clientSecret)
        return oauthError(401, 'invalid_client', 'The OAuth client was not found.');
      if (grantType === 'authorization_code') return exchangeCode(form);
      if (grantType === 'refresh_token') return renewToken(form.get('refresh_token') ?? '');
      return oauthError(400, 'unsupported_grant_type', 'Invalid grant_type');
    },
    findTokenError(authorization, scope) {
      const authorized = accessTokens.get(/^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '');
      if (!authorized || authorized.expiresAtMs <= Date.now()) return invalidCredentials();
      if (authorized.scope.split(' ').includes(scope)) return undefined;
      return apiError(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.');
    },
  };
  return authorizations;

  function issueAccessToken(scope: string): string {
    const token = randomName('ya29.fake-');
    accessTokens.set(token, { scope, expiresAtMs: Date.now() + expiresIn * 1000 });
    return token;
  }

  function respondToConsent(query: URLSearchParams): FakeResponse {
    const redirectUrl = query.get('redirect_uri') ?? '';
    const scope = query.get('scope') ?? '';
    if (
      query.get('client_id') !== authorizations.clientId ||
      query.get('response_type') !== 'code' ||
      scope === '' ||
      !URL.canParse(redirectUrl)
    )
      return { status: 400, headers: { 'content-type': 'text/html' }, body: '<h1>Error 400: invalid_request</h1>' };
    const location = new URL(redirectUrl);
    const state = query.get('state');
    if (state !== null) location.searchParams.set('state', state);
    if (query.has('fake_denial')) location.searchParams.set('error', 'access_denied');
    else {
      const code = randomName('4/fake-');
      const challenge = query.get('code_challenge_method') === 'S256' ? (query.get('code_challenge') ?? undefined) : undefined;
      codes.set(code, { redirectUrl, challenge, scope, isOffline: query.get('access_type') === 'offline' });
      location.searchParams.set('code', code);
      location.searchParams.set('scope', scope);
    }
    return { status: 302, headers: { location: location.href }, body: '' };
  }

  function exchangeCode(form: URLSearchParams): FakeResponse {
    const text = form.get('code') ?? '';
    const code = codes.get(text);
    codes.delete(text);
    if (!code) return oauthError(400, 'invalid_grant', 'Malformed auth code.');
    if (code.redirectUrl !== form.get('redirect_uri')) return oauthError(400, 'redirect_uri_mismatch');
    const verifier = form.get('code_verifier');
    if (code.challenge !== undefined && verifier === null) return oauthError(400, 'invalid_grant', 'Missing code verifier.');
    if (code.challenge !== undefined && createHash('sha256').update(verifier!).digest('base64url') !== code.challenge)
      return oauthError(400, 'invalid_grant', 'Invalid code verifier.');
    const { accessToken, refreshToken } = authorizations.issueTokens(code.scope);
    return tokenResponse(accessToken, code.scope, code.isOffline ? { refresh_token: refreshToken } : {});
  }

  function renewToken(refreshToken: string): FakeResponse {
    const authorized = refreshTokens.get(refreshToken);
    if (!authorized) return oauthError(400, 'invalid_grant', 'Token has been expired or revoked.');
    return tokenResponse(issueAccessToken(authorized.scope), authorized.scope);
  }

  function exchangeAssertion(assertion: string): FakeResponse {
    const [header = '', payload = '', signature = ''] = assertion.split('.');
    const isSigned = createVerify('RSA-SHA256').update(`${header}.${payload}`).verify(publicKey, signature, 'base64url');
    if (!isSigned) return oauthError(400, 'invalid_grant', 'Invalid JWT Signature.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    const nowS = Date.now() / 1000;
    if (claims['aud'] !== tokenAudience || Number(claims['exp']) < nowS || Number(claims['iat']) > nowS + 60)
      return oauthError(400, 'invalid_grant', 'Invalid JWT: Token must be a short-lived token and in a reasonable timeframe.');
    if (claims['iss'] !== serviceAccount) return oauthError(400, 'invalid_grant', 'Invalid grant: account not found');
    if (typeof claims['sub'] !== 'string' || !isDelegated)
      return oauthError(401, 'unauthorized_client', 'Client is unauthorized to retrieve access tokens using this method.');
    return tokenResponse(issueAccessToken(String(claims['scope'])), String(claims['scope']));
  }

  function tokenResponse(accessToken: string, scope: string, more: object = {}): FakeResponse {
    return { body: { access_token: accessToken, expires_in: expiresIn, scope, token_type: 'Bearer', ...more } };
  }
}

const randomName = (prefix: string) => prefix + randomBytes(18).toString('base64url');
