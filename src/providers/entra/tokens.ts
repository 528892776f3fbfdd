import { z } from 'zod';
import { ProviderError } from '../../directory/sync/provider.ts';
import { isObject, parseJson } from '../../scim/json.ts';
import { explainStatus, send, type EntraResponse } from './send.ts';
import type { ClientCredential } from './client-credentials.ts';
import { type EntraAddresses, type EntraClient, scopeOf } from './settings.ts';

export interface TenantTokens {
  /** Returns a token other than `rejected` that is expected to stay valid for at least a minute. */
  get(tenant: string, rejected?: string): Promise<string>;
}

interface Token {
  value: string;
  expiresAtMs: number;
}

const minRemainingMs = 60_000;
const maxTokens = 1_000;

/**
 * Holds the tokens of this process in memory, by tenant. Concurrent callers share one request. They
 * are not stored: a new one costs one request an hour.
 */
export function createTenantTokens(client: EntraClient, addresses: EntraAddresses, now = Date.now): TenantTokens {
  const tokens = new Map<string, Token>();
  const fetching = new Map<string, Promise<string>>();

  return {
    async get(tenant, rejected) {
      const known = tokens.get(tenant);
      if (known && known.value !== rejected && known.expiresAtMs - minRemainingMs > now()) return known.value;
      const shared = fetching.get(tenant) ?? fetchToken(tenant).finally(() => fetching.delete(tenant));
      fetching.set(tenant, shared);
      return shared;
    },
  };

  async function fetchToken(tenant: string): Promise<string> {
    assertNotExpired(client.credential, now());
    const url = `${addresses.loginUrl}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`;
    const response = await send({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams({
        client_id: client.clientId,
        ...client.credential.fields(client.clientId, url, now()),
        scope: scopeOf(addresses),
        grant_type: 'client_credentials',
      }).toString(),
      timeoutMs: addresses.requestTimeoutMs,
      // Other callers may wait for the same request.
      signal: undefined,
    });
    if (response.status !== 200) throw explainTokenError(response, client.credential.setting);
    const read = tokenSchema.safeParse(parseJson(response.text));
    if (!read.success)
      throw new ProviderError('invalid_response', "Microsoft's response to the token request does not match its documentation.");
    const { access_token: value, expires_in: seconds } = read.data;
    tokens.delete(tenant);
    tokens.set(tenant, { value, expiresAtMs: now() + seconds * 1_000 });
    const [oldest] = tokens.keys();
    if (tokens.size > maxTokens && oldest !== undefined) tokens.delete(oldest);
    return value;
  }
}

const tokenSchema = z.looseObject({
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  token_type: z.string().regex(/^bearer$/i),
  expires_in: z.coerce.number().positive(),
});

/** Microsoft would reject it too, with a number. */
function assertNotExpired({ expiresAt, setting }: ClientCredential, nowMs: number): void {
  if (expiresAt === undefined || expiresAt.getTime() > nowMs) return;
  throw new ProviderError(
    'rejected',
    `The certificate in ${setting} expired on ${expiresAt.toISOString().slice(0, 10)}: upload a new one under Certificates & secrets, set ${setting}, and restart Rollcall.`,
  );
}

const credentialProblems: Record<string, string> = {
  7000215: 'Microsoft rejected the client secret: DSYNC_ENTRA_CLIENT_SECRET is wrong. It must be the value of the secret, and not its ID.',
  7000222: 'The client secret has expired: create a new one in Microsoft Entra, and set DSYNC_ENTRA_CLIENT_SECRET.',
  700027:
    'Microsoft rejected the certificate: upload the one in DSYNC_ENTRA_CERTIFICATE_FILE under Certificates & secrets, or replace it if it has expired.',
  700024:
    'Microsoft rejected the time in the signed request (AADSTS700024): the clock of the machine on which Rollcall runs is wrong. Set it, for example with NTP.',
};

/** The application is unknown, disabled or without consent in the tenant, or the tenant does not exist. */
const consentProblems = new Set(['700016', '65001', '7000112', '90002', '500011', '7000229']);

function explainTokenError(response: EntraResponse, setting: string): ProviderError {
  const body = parseJson(response.text);
  const { error, error_description: description } = isObject(body) ? body : {};
  const number = /AADSTS(\d{4,8})/.exec(typeof description === 'string' ? description : '')?.[1];
  if (number !== undefined && credentialProblems[number]) return new ProviderError('rejected', credentialProblems[number]);
  if (number !== undefined && consentProblems.has(number))
    return new ProviderError(
      'unauthorized',
      `Microsoft Entra does not allow the application to read this tenant (AADSTS${number}): its consent is missing or was revoked. Authorize again.`,
    );
  const general = explainStatus(response);
  if (general) return general;
  if (response.status === 400 || response.status === 401)
    return error === undefined
      ? new ProviderError('invalid_response', `Microsoft rejected the token request (${response.status}) without the documented error.`)
      : new ProviderError(
          'rejected',
          `Microsoft rejected the token request${number === undefined ? '' : ` (AADSTS${number})`}. Check DSYNC_ENTRA_CLIENT_ID and ${setting}.`,
        );
  return new ProviderError('invalid_response', `Microsoft's response to the token request has an unexpected status (${response.status}).`);
}
