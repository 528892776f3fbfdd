import { z } from 'zod';
import { ProviderError } from '../../directory/sync/provider.ts';
import { isCleanText } from '../../scim/text.ts';
import { parseJsonKeepingDigits } from '../../scim/json.ts';

/** The part of Google's documented responses that is used here. */

const nonEmptyText = z.string().regex(/\S/);
const flag = z.boolean().optional();

export const userSchema = z.looseObject({
  id: nonEmptyText,
  primaryEmail: nonEmptyText,
  name: z.looseObject({ fullName: z.string().optional() }),
  suspended: flag,
  archived: flag,
  orgUnitPath: z.string().optional(),
  emails: z.array(z.looseObject({ address: z.string().optional() })).optional(),
});

export const groupSchema = z.looseObject({ id: nonEmptyText, email: nonEmptyText, name: z.string().optional() });

/** Members must have an ID only if they are users or groups; others are ignored. */
export const memberSchema = z
  .looseObject({ id: nonEmptyText.optional(), type: z.string().optional() })
  .refine(({ id, type }) => id !== undefined || !isUserOrGroup(type), { path: ['id'] });

/** A group's members may also be all users of the domain, or types that Google adds in the future. */
export const isUserOrGroup = (type: string | undefined) => type === undefined || type === 'USER' || type === 'GROUP';

export type UserRecord = z.infer<typeof userSchema>;
export type GroupRecord = z.infer<typeof groupSchema>;

/** Google omits empty lists. */
const createPage = (name: 'users' | 'groups' | 'members') =>
  z.looseObject({
    kind: z.literal(`admin#directory#${name}`),
    [name]: z.array(z.unknown()).optional(),
    nextPageToken: z.string().optional(),
  });

export const pageSchemas = { users: createPage('users'), groups: createPage('groups'), members: createPage('members') };

export const renewedTokensSchema = z.object({
  access_token: nonEmptyText,
  expiry_date: z.number().optional(),
  refresh_token: z.string().optional(),
});

export const consentTokensSchema = z.object({
  access_token: nonEmptyText,
  refresh_token: nonEmptyText.optional(),
  scope: z.string().optional(),
  token_type: z.string().optional(),
  expiry_date: z.number(),
});

/** Validates the data and returns it unchanged, including fields that the schema does not know. */
export function validateResponse<Data>(schema: z.ZodType<Data>, data: unknown, place = ''): Data {
  const read = schema.safeParse(data);
  if (read.success) return data as Data;
  throw new ProviderError('invalid_response', describeInvalidResponse([place, ...(read.error.issues[0]?.path ?? [])]));
}

function describeInvalidResponse(path: PropertyKey[]): string {
  const place = path.reduce<string>(
    (before, part) => before + (typeof part === 'number' ? `[${part}]` : before ? `.${String(part)}` : String(part)),
    '',
  );
  return place === ''
    ? "Google's response is not the documented JSON object."
    : `Google's response does not match its documentation: ${place} is missing or has the wrong type.`;
}

export class ResponseTooLargeError extends ProviderError {
  constructor() {
    super('invalid_response', "Google's response is too large.");
  }
}

/** A value of two bytes takes many times as much memory. */
const maxValues = 500_000;

export function parseResponse(text: string): unknown {
  if (hasTooManyValues(text)) throw new ResponseTooLargeError();
  return parseJsonKeepingDigits(text);
}

/** Each value follows a comma or a bracket. Those inside strings count too, which at worst makes the pages smaller. */
function hasTooManyValues(text: string): boolean {
  let values = 0;
  for (let index = 0; index < text.length && values <= maxValues; index += 1) {
    const character = text[index];
    if (character === ',' || character === '[' || character === '{') values += 1;
  }
  return values > maxValues;
}

const maxDepth = 64;

/**
 * Removes NUL characters and lone surrogates, which Postgres rejects. Clean values are returned as they are. `place` is for the error
 * message.
 */
export function sanitizeJson(value: unknown, place: string): unknown {
  return isCleanJson(value, place, 0) ? value : copyCleaned(value);
}

function isCleanJson(value: unknown, place: string, depth: number): boolean {
  if (typeof value === 'string') return isCleanText(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth === maxDepth) throw new ProviderError('invalid_response', `Google's response is nested too deeply at ${place}.`);
  let isClean = true;
  if (Array.isArray(value)) for (const item of value) isClean = isCleanJson(item, place, depth + 1) && isClean;
  // The result of `JSON.parse` has only own properties.
  else
    for (const name in value) {
      isClean = isCleanText(name) && isClean;
      isClean = isCleanJson((value as Record<string, unknown>)[name], place, depth + 1) && isClean;
    }
  return isClean;
}

function copyCleaned(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyCleaned);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [cleanText(name), copyCleaned(inner)]));
}

const cleanText = (text: string) => (isCleanText(text) ? text : text.replaceAll('\0', '').toWellFormed());
