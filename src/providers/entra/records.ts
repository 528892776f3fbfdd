import { z } from 'zod';
import type { ProviderGroup, ProviderUser } from '../../directory/sync/provider.ts';
import type { JsonObject } from '../../scim/json.ts';
import { groupSchema as groupUrn, userSchema as userUrn } from '../../scim/schema/core-schemas.ts';
import { isCleanText } from '../../scim/text.ts';

/** The part of Graph's documented objects that is used here. */

const id = z.string().regex(/^[\w-]{1,100}$/);
const text = z
  .string()
  .transform((value) => (isCleanText(value) ? value : value.replaceAll('\0', '').toWellFormed()))
  .nullish();

const userFields = {
  displayName: text,
  givenName: text,
  surname: text,
  mail: text,
  userType: text,
  jobTitle: text,
  department: text,
  employeeId: text,
  preferredLanguage: text,
  mobilePhone: text,
};
export const userSchema = z.object({
  id,
  userPrincipalName: z
    .string()
    .regex(/\S/)
    .transform((value) => value.replaceAll('\0', '').toWellFormed()),
  accountEnabled: z.boolean().nullish(),
  ...userFields,
});
const groupFields = { description: text, mail: text };
export const groupSchema = z.object({
  id,
  displayName: z.string().transform((value) => value.replaceAll('\0', '').toWellFormed()),
  ...groupFields,
});
/** A removed object, or one with only some of its properties. */
export const partialSchema = z.looseObject({ id, '@removed': z.unknown().optional(), '@odata.type': z.string().optional() });

export const userSelection = ['id', 'userPrincipalName', 'accountEnabled', ...Object.keys(userFields)].join(',');
export const groupSelection = ['id', 'displayName', ...Object.keys(groupFields)].join(',');

const userType = '#microsoft.graph.user';
const groupType = '#microsoft.graph.group';
export const isUser = (record: { '@odata.type'?: string | undefined }) => record['@odata.type'] === userType;
export const isGroup = (record: { '@odata.type'?: string | undefined }) => record['@odata.type'] === groupType;

/** Members can also be devices, contacts and applications. */
export const isUserOrGroup = (record: { '@odata.type'?: string | undefined }) =>
  record['@odata.type'] === undefined || isUser(record) || isGroup(record);

const guestMark = /#EXT#/i;

/** Entra derives the user name of a guest from the guest's own address, so it is no address. */
const addressOf = (mail: string | null | undefined, userPrincipalName: string): string | undefined => {
  if (mail) return mail;
  return guestMark.test(userPrincipalName) || !userPrincipalName.includes('@') ? undefined : userPrincipalName;
};

export function toUser(record: z.output<typeof userSchema>): ProviderUser {
  const { userPrincipalName, accountEnabled, givenName, surname, displayName, mail, mobilePhone, jobTitle, department, employeeId } =
    record;
  const address = addressOf(mail, userPrincipalName);
  const name = withoutEmpty({ givenName, familyName: surname, formatted: displayName });
  const enterprise = withoutEmpty({ department, employeeNumber: employeeId });
  return {
    externalId: record.id,
    resource: {
      schemas: hasAny(enterprise) ? [userUrn.id, enterpriseUrn] : [userUrn.id],
      userName: userPrincipalName,
      externalId: record.id,
      active: accountEnabled !== false,
      ...withoutEmpty({ displayName, title: jobTitle, userType: record.userType, preferredLanguage: record.preferredLanguage }),
      ...(hasAny(name) && { name }),
      ...(address !== undefined && { emails: [{ value: address, type: 'work', primary: true }] }),
      ...(mobilePhone && { phoneNumbers: [{ value: mobilePhone, type: 'mobile' }] }),
      ...(hasAny(enterprise) && { [enterpriseUrn]: enterprise }),
    },
    raw: toRaw(record),
  };
}

export function toGroup(record: z.output<typeof groupSchema>): ProviderGroup {
  const { displayName, description, mail } = record;
  return {
    externalId: record.id,
    resource: {
      schemas: [groupUrn.id],
      displayName: displayName.trim() === '' ? record.id : displayName,
      externalId: record.id,
      ...withoutEmpty({ description, mail }),
    },
    raw: toRaw(record),
  };
}

const enterpriseUrn = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

/** Graph omits a property that was never set, and sends null for one that was cleared. Both mean the same. */
const withoutEmpty = (values: Record<string, string | boolean | null | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== ''));

const toRaw = ({ id: externalId, ...record }: { id: string } & Record<string, string | boolean | null | undefined>): JsonObject => ({
  ...withoutEmpty(record),
  externalId,
});

const hasAny = (object: object) => Object.keys(object).length > 0;
