import { foldCase } from '../../scim/text.ts';
import type { GroupRecord, UserRecord } from './answers.ts';

/** By address or id; no names mean all. */
export function createGroupChoice(names: string[]): (group: GroupRecord) => boolean {
  const wanted = new Set(names.map((name) => foldCase(name.trim())));
  return ({ id, email }) => wanted.size === 0 || wanted.has(foldCase(id)) || wanted.has(foldCase(email));
}

/** Those within one of the units, at whatever depth; no units mean all. */
export function createUserChoice(orgUnits: string[]): (user: UserRecord) => boolean {
  const wanted = orgUnits.map(toPrefix);
  const isEverybody = wanted.length === 0 || wanted.includes('/');
  return ({ orgUnitPath }) =>
    isEverybody || (orgUnitPath !== undefined && wanted.some((prefix) => toPrefix(orgUnitPath).startsWith(prefix)));
}

/** `/Sales/North` as `/sales/north/`: that of a unit is the beginning of those below it, and of no other's. */
const toPrefix = (path: string) => `/${foldCase(path.trim()).replace(/^\/+|\/+$/g, '')}/`.replace('//', '/');
