import type { ClientError, Configuration } from 'openid-client';
import { type OpenIdProvider, readClaim } from '../../access/openid-sign-in.ts';
import { AppError } from '../../errors.ts';

export interface OpenIdProviderOptions {
  issuer: string;
  clientId: string;
  clientSecret: string;
  scope: string;
  roleClaim: string;
  timeoutMs?: number;
}

/** The clock of the provider may be wrong by this much. */
const clockToleranceSeconds = 60;

/** The OpenID provider at OIDC_ISSUER. Its metadata is read on first use, and again until that succeeds. */
export function createOpenIdProvider({ timeoutMs = 5_000, ...options }: OpenIdProviderOptions): OpenIdProvider {
  let discovered: Promise<Configuration> | undefined;

  return {
    async begin({ state, nonce, codeVerifier }, redirectUri) {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await load();
      const configuration = await discover();
      const url = buildAuthorizationUrl(configuration, {
        response_type: 'code',
        redirect_uri: redirectUri,
        scope: options.scope,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
      return url.href;
    },

    async complete({ state, nonce, codeVerifier }, callbackUrl) {
      const { authorizationCodeGrant, fetchUserInfo } = await load();
      try {
        const configuration = await discover();
        const tokens = await authorizationCodeGrant(configuration, callbackUrl, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        const claims: Record<string, unknown> = { ...tokens.claims() };
        // Some providers list groups, or everything about a person, only here.
        const isComplete = readClaim(claims, options.roleClaim) !== undefined && claims['name'] !== undefined;
        if (isComplete || !configuration.serverMetadata().userinfo_endpoint) return claims;
        return { ...(await fetchUserInfo(configuration, tokens.access_token, String(claims['sub']))), ...claims };
      } catch (error) {
        return translate(error);
      }
    },
  };

  function discover(): Promise<Configuration> {
    discovered ??= readMetadata().catch((error: unknown) => {
      discovered = undefined;
      const { code, message } = toAppError(error as Failure);
      throw new AppError('issuer_unavailable', code === 'issuer_unavailable' ? message : unreachable, { cause: error });
    });
    return discovered;
  }

  async function readMetadata(): Promise<Configuration> {
    const { allowInsecureRequests, clockTolerance, discovery, enableNonRepudiationChecks } = await load();
    const { issuer, clientId, clientSecret } = options;
    const isPlain = new URL(issuer).protocol === 'http:';
    return discovery(new URL(issuer), clientId, { client_secret: clientSecret, [clockTolerance]: clockToleranceSeconds }, undefined, {
      timeout: timeoutMs / 1_000,
      execute: [enableNonRepudiationChecks, ...(isPlain ? [allowInsecureRequests] : [])],
    });
  }
}

/** The package takes a while to load, and only sign-in needs it. */
const load = () => import('openid-client');

/** Errors of the package and of the provider, as sentences that contain nothing from the token. */
function translate(error: unknown): never {
  throw error instanceof AppError ? error : toAppError(error as Failure);
}

type Failure = Partial<ClientError> & { error?: unknown; status?: unknown };

const unreachable = 'The OpenID provider at OIDC_ISSUER cannot be reached, or does not respond as one: try again soon.';

function toAppError(error: Failure): AppError {
  const { code, error: protocolError, status, cause } = error;
  const fail = (as: ConstructorParameters<typeof AppError>[0], message: string) => new AppError(as, message, { cause: error });
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') {
    if (protocolError === 'temporarily_unavailable' || protocolError === 'server_error')
      return fail('issuer_unavailable', 'The OpenID provider is temporarily unavailable: try again soon.');
    return fail('sign_in_denied', `The OpenID provider did not sign you in (${nameOf(protocolError)}).`);
  }
  if (code === 'OAUTH_RESPONSE_BODY_ERROR' && protocolError === 'invalid_grant')
    return fail(
      'sign_in_code_invalid',
      'The code of the OpenID provider has expired, was already used, or is not for this sign-in: sign in again.',
    );
  if (code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE' || protocolError === 'invalid_client' || protocolError === 'unauthorized_client')
    return fail('issuer_unavailable', 'The OpenID provider does not accept OIDC_CLIENT_ID with OIDC_CLIENT_SECRET: correct them.');
  if (code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED')
    return fail(
      'sign_in_clock',
      `The ID token is not valid at this time: the clocks of the OpenID provider and of this service differ by more than ${clockToleranceSeconds} s.`,
    );
  if (code === 'OAUTH_JWT_CLAIM_COMPARISON_FAILED')
    return claimOf(cause) === 'aud'
      ? fail('sign_in_audience', 'The ID token is for another application: OIDC_CLIENT_ID is not its audience.')
      : fail('sign_in_token_invalid', `The claim ${nameOf(claimOf(cause))} of the ID token is not that of this sign-in.`);
  if (code === 'OAUTH_INVALID_RESPONSE' || code === 'OAUTH_KEY_SELECTION_FAILED' || code === 'OAUTH_PARSE_ERROR')
    return fail('sign_in_token_invalid', 'The OpenID provider sent an ID token that is missing, malformed or not signed by it.');
  if (code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED')
    return fail('issuer_unavailable', 'The OpenID provider names another issuer than OIDC_ISSUER: correct it.');
  const isAway =
    code === 'OAUTH_TIMEOUT' || error instanceof TypeError || typeof status === 'number' || code === 'OAUTH_RESPONSE_IS_NOT_CONFORM';
  return isAway
    ? fail('issuer_unavailable', unreachable)
    : fail('issuer_unavailable', `The OpenID provider sent an unexpected response (${nameOf(code)}).`);
}

const claimOf = (cause: unknown): unknown => (cause as { cause?: { claim?: unknown } } | undefined)?.cause?.claim;

/** Also what the provider wrote, so it is cut down to a word. */
const nameOf = (given: unknown): string =>
  String(given)
    .slice(0, 60)
    .replaceAll(/[^\w.-]/g, '?');
