import type { Webhook } from '../directories/directory.ts';

const query = /[?#].*$/s;
const userInfo = /^([^:/]+:\/\/)[^/]*@/;

/** A webhook URL for display: without its query and user info, which may contain a token. */
export const toDisplayAddress = (url: string): string => url.replace(query, '').replace(userInfo, '$1');

/** The host, which is the only part that is stored unencrypted: paths may contain tokens too. */
export const hostOf = (url: string): string => /^[^:/]+:\/\/([^/\\]*)/.exec(toDisplayAddress(url))?.[1] ?? '';

const minSecretLength = 8;

/** The query values of a URL that may be tokens, encoded and decoded, longest first. Short ones are left out. */
export function findQuerySecrets({ search, searchParams }: URL): string[] {
  if (search === '') return [];
  const asWritten = search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1));
  const decoded = [...searchParams].map(([name, value]) => value || name);
  return [...new Set([...asWritten, ...decoded])].filter(({ length }) => length >= minSecretLength).sort((a, b) => b.length - a.length);
}

const recommendedLength = 16;

export const warningCodes = [
  'short_webhook_secret',
  'empty_webhook_secret',
  'unused_webhook_secret',
  'no_scim_client',
  'unknown_field',
] as const;

export interface Warning {
  code: (typeof warningCodes)[number];
  field: string;
  message: string;
}

/** What Polis accepts and does without a word. */
export function findWebhookWarnings(field: string, secret: string | undefined, webhook: Webhook | undefined): Warning[] {
  if (secret === undefined || !webhook) return [];
  if (webhook.url === undefined)
    return [{ code: 'unused_webhook_secret', field, message: `${field} has no webhook_url: it is kept for the first webhook_url.` }];
  if (secret === '')
    return [{ code: 'empty_webhook_secret', field, message: `${field} is empty: webhooks are signed with the secret in the response.` }];
  return findWebhookSecretWarnings(field, secret);
}

/** A secret may have any length, as in Polis, but a short one can be guessed from a signed webhook. */
export function findWebhookSecretWarnings(field: string, secret: string | undefined): Warning[] {
  const length = lengthIfShort(secret);
  if (length === undefined) return [];
  return [
    {
      code: 'short_webhook_secret',
      field,
      message: `${field} has ${length} characters: it can be guessed from a signed webhook. Use at least ${recommendedLength}, or leave it out to have one created.`,
    },
  ];
}

/** The operator's secret comes from a setting, and is never generated. */
export function findOperatorSecretWarnings(secret: string | undefined): string[] {
  const length = lengthIfShort(secret);
  if (length === undefined) return [];
  return [`WEBHOOK_SECRET has ${length} characters: it can be guessed from a signed webhook. Use at least ${recommendedLength}.`];
}

function lengthIfShort(secret: string | undefined): number | undefined {
  const { length } = secret?.replace(/^whsec_/, '') ?? '';
  return secret && length < recommendedLength ? length : undefined;
}
