import { isObject } from '../../scim/json.ts';

const maxAddresses = 50;

/** The addresses in the `emails` of a user, as objects or as text. */
export const addressesOf = (emails: unknown): string[] =>
  (Array.isArray(emails) ? emails : [])
    .map((email) => (isObject(email) ? email['value'] : email))
    .filter((value) => typeof value === 'string' && value !== '')
    .slice(0, maxAddresses) as string[];
