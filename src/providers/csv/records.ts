import type { ProviderGroup, ProviderUser } from '../../directory/sync/provider.ts';
import type { JsonObject } from '../../scim/json.ts';
import { groupSchema as groupUrn, userSchema as userUrn } from '../../scim/schema/core-schemas.ts';

/** The cells of a row that are not empty, by column. */
export type Cells = Record<string, string>;

/** Where the columns that have no meaning of their own stand in a resource. */
const attributesUrn = 'urn:rollcall:params:scim:schemas:csv:2.0:Attributes';

/** Who has no address is known by the ID. */
export const userNameOf = ({ idp_id: id, email }: Cells): string => email ?? id!;

const activeWords = new Map([
  ...['true', 'yes', '1', 'active'].map((word) => [word, true] as const),
  ...['false', 'no', '0', 'inactive'].map((word) => [word, false] as const),
]);
export const knownActiveWords = 'true, false, yes, no, 1, 0, active or inactive';

/** Undefined: the word is unknown. */
export const readActive = (word: string | undefined): boolean | undefined =>
  word === undefined || word === '' ? true : activeWords.get(word.toLowerCase());

export function toUser(cells: Cells): ProviderUser {
  const { idp_id: externalId = '', email, first_name: givenName, last_name: familyName, active, ...others } = cells;
  const name = { ...(givenName && { givenName }), ...(familyName && { familyName }) };
  const displayName = [givenName, familyName].filter(Boolean).join(' ');
  return {
    externalId,
    resource: {
      ...withAttributes(userUrn.id, others),
      userName: userNameOf(cells),
      externalId,
      active: readActive(active) ?? true,
      ...(displayName && { displayName, name }),
      ...(email && { emails: [{ value: email, type: 'work', primary: true }] }),
    },
    raw: { ...cells, externalId },
  };
}

export function toGroup(cells: Cells): ProviderGroup {
  const { idp_id: externalId = '', name = '', ...others } = cells;
  return {
    externalId,
    resource: { ...withAttributes(groupUrn.id, others), displayName: name, externalId },
    raw: { ...cells, externalId },
  };
}

const withAttributes = (urn: string, others: Cells): JsonObject =>
  Object.keys(others).length === 0 ? { schemas: [urn] } : { schemas: [urn, attributesUrn], [attributesUrn]: others };
