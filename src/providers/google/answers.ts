import { z } from 'zod';
import { ProviderError } from '../../directory/sync/provider.ts';

/** What Google documents, as far as it is looked at here. */

const text = z.string().regex(/\S/);
const flag = z.boolean().optional();

export const userRecord = z.looseObject({
  id: text,
  primaryEmail: text,
  name: z.looseObject({ fullName: z.string().optional() }),
  suspended: flag,
  archived: flag,
  orgUnitPath: z.string().optional(),
  emails: z.array(z.looseObject({ address: z.string().optional() })).optional(),
});

export const groupRecord = z.looseObject({ id: text, email: text, name: z.string().optional() });

/** Only users and groups, which have an id, become members. */
export const memberRecord = z
  .looseObject({ id: text.optional(), type: z.string().optional() })
  .refine(({ id, type }) => id !== undefined || !isUserOrGroup(type), { path: ['id'] });

/** The members of a group may also be all users of the domain, or something that Google adds one day. */
export const isUserOrGroup = (type: string | undefined) => type === undefined || type === 'USER' || type === 'GROUP';

export type UserRecord = z.infer<typeof userRecord>;
export type GroupRecord = z.infer<typeof groupRecord>;

/** Google leaves an empty list out. */
const createPage = (name: 'users' | 'groups' | 'members') =>
  z.looseObject({
    kind: z.literal(`admin#directory#${name}`),
    [name]: z.array(z.unknown()).optional(),
    nextPageToken: z.string().optional(),
  });

export const pageOf = { users: createPage('users'), groups: createPage('groups'), members: createPage('members') };

export const renewedTokens = z.object({
  access_token: text,
  expiry_date: z.number().optional(),
  refresh_token: z.string().optional(),
});

export const consentTokens = z.object({
  access_token: text,
  refresh_token: text.optional(),
  scope: z.string().optional(),
  token_type: z.string().optional(),
  expiry_date: z.number(),
});

/** Checks, and gives back what was there: names that the schema does not know stay as they are. */
export function readAnswer<Answer>(schema: z.ZodType<Answer>, data: unknown, place = ''): Answer {
  const read = schema.safeParse(data);
  if (read.success) return data as Answer;
  throw new ProviderError('unreadable', explainUnreadable([place, ...(read.error.issues[0]?.path ?? [])]));
}

function explainUnreadable(path: PropertyKey[]): string {
  const place = path.reduce<string>(
    (before, part) => before + (typeof part === 'number' ? `[${part}]` : before ? `.${String(part)}` : String(part)),
    '',
  );
  return place === ''
    ? "Google's answer is not the JSON object that it documents."
    : `Google's answer is not what it documents: ${place} is missing, or of another kind.`;
}
