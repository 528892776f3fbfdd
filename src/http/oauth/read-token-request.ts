import type { Context } from 'koa';
import { AppError } from '../../errors.ts';
import { readForm } from '../server/body/read-form.ts';
import { UnsupportedGrantError } from './token-errors.ts';

const maxBodyBytes = 8_192;

interface TokenRequest {
  clientId: string;
  clientSecret: string;
}

/** Reads a request for an access token (RFC 6749, sections 2.3.1 and 4.4.2). Other parameters, such as `scope`, are ignored. */
export async function readTokenRequest(ctx: Context): Promise<TokenRequest> {
  const form = await readForm(ctx, { maxBytes: maxBodyBytes, maxValues: Infinity });
  const basic = readBasicCredentials(ctx);
  const grantType = readOnce(form, 'grant_type');
  const [clientId, clientSecret] = [readOnce(form, 'client_id'), readOnce(form, 'client_secret')];
  if (grantType === undefined) throw invalid('grant_type is required: it must be client_credentials.');
  if (grantType !== 'client_credentials')
    throw new UnsupportedGrantError('invalid_request', 'The only supported grant_type is client_credentials.');
  if (form.has('client_assertion') || form.has('client_assertion_type'))
    throw invalid('Client assertions, which workload identity federation uses, are not supported: send a client secret.');
  if (basic && (clientSecret !== undefined || (clientId !== undefined && clientId !== basic.clientId)))
    throw invalid('Send the client credentials either in the Authorization header or in the body.');
  return basic ?? { clientId: clientId ?? '', clientSecret: clientSecret ?? '' };
}

export const usesBasic = (ctx: Context): boolean => ctx.get('authorization') !== '';

/** Both parts are form-encoded before they are joined. Undefined if there is no header; empty if it cannot be read. */
function readBasicCredentials(ctx: Context): TokenRequest | undefined {
  if (!usesBasic(ctx)) return undefined;
  const encoded = /^basic +([\w+/-]+={0,2}) *$/i.exec(ctx.get('authorization'))?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString();
  const [, clientId = '', clientSecret = ''] = /^([^:]*):(.*)$/s.exec(text) ?? [];
  return { clientId: decode(clientId), clientSecret: decode(clientSecret) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return '';
  }
}

/** An empty parameter counts as missing, and none may be repeated (RFC 6749, section 3.2). */
function readOnce(form: URLSearchParams, name: string): string | undefined {
  const given = form.getAll(name);
  if (given.length > 1) throw invalid(`${name} must be given once.`);
  return given[0] || undefined;
}

const invalid = (message: string) => new AppError('invalid_request', message);
