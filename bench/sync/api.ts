import { request } from 'undici';
import type { GoogleFacts } from './google-process.ts';

export interface Api {
  baseUrl: string;
  apiKey: string;
}

/** Has no timeout: Polis responds to a sync request when the sync has ended. */
export async function callApi<Data>({ baseUrl, apiKey }: Api, method: 'GET' | 'POST', path: string, content?: object): Promise<Data> {
  const { statusCode, body } = await request(`${baseUrl}/api/v1/${path}`, {
    method,
    headers: { authorization: `Api-Key ${apiKey}`, ...(content && { 'content-type': 'application/json' }) },
    body: content ? JSON.stringify(content) : null,
    headersTimeout: 0,
  });
  const text = await body.text();
  if (statusCode >= 300) throw new Error(`${method} ${path}: ${statusCode} ${text.slice(0, 300)}`);
  return (JSON.parse(text) as { data: Data }).data;
}

/** Both sides use the same request. */
export async function createGoogleDirectory(api: Api, { tokens }: GoogleFacts): Promise<string> {
  const { id } = await callApi<{ id: string }>(api, 'POST', 'directory-sync', {
    tenant: 'bench',
    product: 'bench',
    name: 'Bench',
    type: 'google',
    google_access_token: tokens.accessToken,
    google_refresh_token: tokens.refreshToken,
  });
  return id;
}
