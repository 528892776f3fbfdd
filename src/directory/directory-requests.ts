import { z } from 'zod';
import { AppError } from '../errors.ts';
import { isId } from '../ids.ts';
import { isCleanText } from '../scim/text.ts';
import { directoryTypes } from './directory.ts';
import type { DirectorySelector } from './ports.ts';
import { quotaNames } from './quotas.ts';
import { refuseMisspelt } from './refuse-misspelt.ts';

const text = z.string('must be a string').refine(isCleanText, 'must not contain NUL characters or lone surrogates');
const short = text.trim().min(1, 'must not be empty').max(200, 'may have at most 200 characters');
const owner = short.refine((value) => !value.includes(':'), 'must not contain the character “:”');
const ownerTenant = owner.meta({ description: 'The customer.', examples: ['acme'] });
const ownerProduct = owner.meta({ description: 'The application.', examples: ['crm'] });
const flag = z
  .union([z.boolean(), z.enum(['true', 'false'])], 'must be true or false')
  .transform((value) => value === true || value === 'true');
const webhookUrl = text
  .trim()
  .max(2000, 'may have at most 2000 characters')
  .refine(
    (value) => value === '' || isWebhookUrl(value),
    'must be an http or https address like https://app.example/hooks, without a user name or password, and with a port below 65536 if any',
  );
const secret = text.max(500, 'may have at most 500 characters');
const type = z
  .enum(directoryTypes, `must be one of ${directoryTypes.join(', ')}`)
  .meta({ description: 'The kind of identity provider.', examples: ['okta-scim-v2'] });
const names = z.array(text.trim().min(1, 'must not be empty').max(500), 'must be a list').max(500, 'may have at most 500 entries');
const google = {
  google_domain: text
    .trim()
    .max(253)
    .refine(isEmptyOrDomain, 'must be a domain like acme.example')
    .optional()
    .meta({ description: 'Only the users of this domain; empty: all.', examples: ['acme.example'] }),
  google_access_token: text.max(4000).optional().meta({ description: 'An access token that was obtained elsewhere.' }),
  google_refresh_token: text.max(4000).optional().meta({ description: 'The refresh token that belongs to it.' }),
  google_admin_email: text
    .trim()
    .max(320)
    .refine(isEmptyOrEmail, 'must be an email address')
    .optional()
    .meta({ description: 'The administrator in whose name a service account reads.', examples: ['admin@acme.example'] }),
  google_service_account_key: text
    .max(10_000)
    .refine(isEmptyOrKey, 'must be the text of a service account key file, or empty')
    .optional()
    .meta({ description: "The text of the service account's key file; empty: the deployment's own." }),
  google_groups: names
    .optional()
    .meta({ description: 'Only these groups, by address or id; empty: all.', examples: [['team@acme.example']] }),
  google_org_units: names
    .refine((paths) => paths.every((path) => path.startsWith('/')), 'must be paths that begin with /, like /Sales')
    .optional()
    .meta({ description: 'Only these organisational units, with what is below them; empty: all.', examples: [['/Sales']] }),
};

const quotaLimit = z.int('must be a whole number').min(0, 'must not be negative').optional();
const quotas = z
  .object(
    Object.fromEntries(
      Object.values(quotaNames).map(({ field, text: what }) => [field, quotaLimit.meta({ description: `At most so many ${what}.` })]),
    ),
    'must be an object',
  )
  .meta({
    id: 'Quotas',
    description: "Limits of one directory. Those that are not given are the deployment's.",
    examples: [{ users: 1000 }],
  });

/** As it is read, so that a directory can be sent back changed, or made again. */
const webhook = z.object({ endpoint: webhookUrl.optional(), secret: secret.optional() }, 'must be an object');
const settings = {
  name: short.optional().meta({ description: 'A name for people.', examples: ['Acme in the CRM'] }),
  log_webhook_events: flag.optional().meta({ description: 'Whether everything of each webhook is kept for a while.', examples: [true] }),
  deactivated: flag.optional().meta({ description: 'While true, the provider gets 403.', examples: [false] }),
  webhook_url: webhookUrl
    .optional()
    .meta({ description: 'Where events go; empty: the webhook is taken away.', examples: ['https://app.example/hooks'] }),
  webhook_secret: secret.optional().meta({ description: 'What webhooks are signed with; one is made if none is given.' }),
  webhook: webhook
    .optional()
    .meta({ description: 'The same two as they are answered, so that a directory can be sent back as it was read.' }),
  webhook_legacy_signatures: flag
    .optional()
    .meta({ description: "Whether webhooks carry the ancestor's signatures too.", examples: [false] }),
  quotas: quotas.nullable().optional().meta({
    description: "Limits of this directory, in place of the deployment's. The object replaces the former one; null removes all.",
  }),
  ...google,
};

export const createDirectoryRequest = z
  .object({ tenant: ownerTenant, product: ownerProduct, type: type.default('generic-scim-v2'), ...settings })
  .meta({ id: 'CreateDirectoryRequest', description: 'A new directory. Fields that are not known are passed over.' });
export type CreateDirectoryRequest = z.infer<typeof createDirectoryRequest>;

const fixed = text.optional().meta({ description: 'Fixed when the directory was created; the same value is let pass.' });
export const updateDirectoryRequest = z
  .object({
    ...settings,
    tenant: fixed,
    product: fixed,
    type: fixed,
  })
  .meta({ id: 'UpdateDirectoryRequest', description: 'What is to be different. What is not given stays.' });
export type UpdateDirectoryRequest = z.infer<typeof updateDirectoryRequest>;

export function readDirectoryRequest<Schema extends z.ZodObject>(schema: Schema, value: unknown): z.infer<Schema> {
  refuseMisspelt(value, Object.keys(schema.shape));
  refuseMisspelt(at(value, ['quotas']), Object.keys(quotas.shape), 'quotas.');
  refuseMisspelt(at(value, ['webhook']), Object.keys(webhook.shape), 'webhook.');
  return readRequest(schema, value);
}

export const ownerQuery = z.object({ tenant: ownerTenant, product: ownerProduct });

export const productQuery = z.object({ product: ownerProduct });

/** Some write them in capitals. */
const idOfDirectory = short
  .transform((value) => (isId(value) ? value.toLowerCase() : value))
  .meta({ description: 'The directory.', examples: ['0b9f1c62-6f0e-4c8a-9c3b-1f2d8a7e5c41'] });
export const directoryQuery = z.object({ directoryId: idOfDirectory });

export const selectorQuery = z.object({
  tenant: ownerTenant.optional(),
  product: ownerProduct.optional(),
  directoryId: idOfDirectory.optional(),
});

/** Which directories are meant: those of a tenant and product, or a single one, whose tenant and product are compared if given. */
export function readSelector(query: unknown): DirectorySelector {
  const { tenant, product, directoryId } = readRequest(selectorQuery, query);
  if (directoryId !== undefined) return { directoryId, ...(tenant !== undefined && { tenant }), ...(product !== undefined && { product }) };
  if (tenant !== undefined && product !== undefined) return { tenant, product };
  throw new AppError('invalid_request', 'Either tenant and product or directoryId is required.', {
    field: tenant === undefined ? 'tenant' : 'product',
  });
}

const count = z.coerce.number('must be a whole number').int('must be a whole number').min(0, 'must not be negative');
/** The ancestor's names and their aliases; 0 and too much mean the default and the most. */
export const pageQuery = z
  .object({
    pageOffset: count.optional().meta({ description: 'How many to leave out at the beginning.', examples: [0] }),
    offset: count.optional().meta({ description: 'Another name of `pageOffset`.', examples: [0] }),
    pageLimit: count
      .optional()
      .meta({ description: 'How many at most: 50 if nothing is said, or 0; never more than 1000.', examples: [100] }),
    limit: count.optional().meta({ description: 'Another name of `pageLimit`.', examples: [100] }),
  })
  .transform(({ pageOffset, offset, pageLimit, limit }) => ({
    offset: pageOffset ?? offset ?? 0,
    limit: Math.min((pageLimit ?? limit) || 50, 1000),
  }));

/** Checks a request; the message names every field that is wrong. */
export function readRequest<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => ({
    field: path.join('.'),
    message: at(value, path) === undefined ? 'is required' : message,
  }));
  const [first] = problems;
  throw new AppError(
    'invalid_request',
    first?.field ? `${problems.map(({ field, message }) => `${field} ${message}`).join('; ')}.` : 'The request must be a JSON object.',
    first?.field ? { field: first.field } : {},
  );
}

const at = (value: unknown, path: PropertyKey[]): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | null | undefined)?.[key], value);

function isEmptyOrDomain(value: string): boolean {
  return /^[\p{L}\p{N}.-]*$/u.test(value);
}

function isEmptyOrEmail(value: string): boolean {
  return value === '' || /^[^\s@]+@[^\s@]+$/.test(value);
}

function isEmptyOrKey(value: string): boolean {
  if (value === '') return true;
  try {
    const key = JSON.parse(value) as Record<string, unknown> | null;
    return typeof key?.['client_email'] === 'string' && typeof key['private_key'] === 'string';
  } catch {
    return false;
  }
}

function isWebhookUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password, hostname } = new URL(value);
  return /^https?:$/.test(protocol) && hostname !== '' && username === '' && password === '';
}
