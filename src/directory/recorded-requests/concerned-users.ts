import { isObject, type JsonObject } from '../../scim/json.ts';
import type { BulkOperation } from '../../scim/bulk/operation.ts';
import { addressesOf } from '../resources/addresses-of.ts';
import { toResourceKey } from '../resources/resource-ids.ts';

/** Users that a request concerned: by their IDs and, because they may not exist, by their names. */
export interface Concern {
  ids: string[];
  /** The user name, the external ID and the addresses in a create. They matter only if it fails. */
  names: string[];
  /** Whether it concerns several users, or may. */
  isShared: boolean;
  /** The result of an operation of a Bulk request, which differs from that of the request. */
  result?: { status: number; detail: string | undefined };
}

/** The most users of one request. Further ones are not noted. */
export const maxConcernedUsers = 100;
const maxNameLength = 1_000;
const maxFilterValues = 5;

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '' && value.length <= maxNameLength;

/** Who is concerned according to the address: the user itself, or those that a filter names. */
export function findInAddress(url: string): Concern | undefined {
  const [, pathname = '', query = ''] = /api\/+scim\/+v2\.0\/+[^/?]+([^?]*)\??(.*)$/i.exec(url) ?? [];
  const [, id] = /^\/+users\/+([^/]+)\/*$/i.exec(pathname) ?? [];
  if (id !== undefined && !id.startsWith('.')) return { ids: [decode(id)].filter(isName), names: [], isShared: false };
  const filter = query.includes('filter=') ? new URLSearchParams(query).get('filter') : null;
  return filter === null ? undefined : findInFilter(filter);
}

const named = String.raw`(?:id|userName|externalId|emails(?:\.value)?|members(?:\.value)?)\s+eq\s+"((?:[^"\\]|\\.)*)"`;
const namedOnly = new RegExp(String.raw`^\s*(?:[\w.:]*:)?${named}\s*$`, 'iu');
const namedSomewhere = new RegExp(String.raw`\b${named}`, 'giu');

const memberSomewhere = /\bvalue\s+eq\s+"((?:[^"\\]|\\.)*)"/giu;

/** `userName eq "ada"`, and filters that contain it. */
export function findInFilter(filter: unknown): Concern | undefined {
  if (!isName(filter)) return undefined;
  const values = findValues(filter, namedSomewhere);
  return values.length === 0 ? undefined : { ids: values, names: [], isShared: !namedOnly.test(filter) };
}

function findValues(filter: string, pattern: RegExp): string[] {
  const matches = filter.matchAll(pattern);
  const next = () => matches.next().value?.[1]?.replaceAll(/\\(.)/gsu, '$1');
  return Array.from({ length: maxFilterValues }, next).filter(isName);
}

/** Who is concerned according to the body of a change. The ID of a changed user is in the address. */
export function findInBody(type: 'User' | 'Group', method: string, body: unknown): Concern | undefined {
  if (!isObject(body)) return undefined;
  if (type === 'User') return method === 'POST' ? { ids: [], names: namesOf(body), isShared: false } : undefined;
  const operations = method === 'PATCH' ? listOf(valueOf(body, 'Operations')) : [];
  const ids = method === 'PATCH' ? patchedMembers(operations) : memberIds(valueOf(body, 'members'));
  if (ids.length === 0) return undefined;
  return { ids: ids.slice(0, maxConcernedUsers), names: [], isShared: ids.length > 1 || operations.length > 1 };
}

/** Who the operations of a Bulk request concern, by their indexes. */
export function findInBulk(operations: readonly (BulkOperation | { index: number; error: object })[]): Map<number, Concern> {
  const found = new Map<number, Concern>();
  let left = maxConcernedUsers;
  for (const operation of operations) {
    if (left <= 0) break;
    if (!('data' in operation || 'dependsOn' in operation)) continue;
    const { index, method, resourceType, resourceId, data } = operation;
    const inBody = findInBody(resourceType, method, data);
    const concern: Concern | undefined =
      resourceType === 'User' ? { ids: [resourceId], names: inBody?.names ?? [], isShared: false } : inBody;
    if (!concern) continue;
    const ids = concern.ids.slice(0, left);
    found.set(index, { ...concern, ids });
    left -= ids.length;
  }
  return found;
}

/** The same with the users who joined or left the group, by their keys: the request need not name them. */
export function withMoved(concern: Concern | undefined, moved: readonly string[]): Concern | undefined {
  const namedIds = concern?.ids ?? [];
  const ids = [...unnamed(moved, namedIds), ...namedIds].slice(0, maxConcernedUsers);
  return ids.length === 0 ? undefined : { ids, names: [], isShared: concern?.isShared === true || ids.length > 1 };
}

/** The users who joined or left a group by a Bulk request that does not name them. */
export function findMovedInBulk(concerns: readonly Concern[], moved: readonly string[]): Concern | undefined {
  const namedIds = concerns.flatMap(({ ids }) => ids);
  const ids = unnamed(moved, namedIds).slice(0, Math.max(0, maxConcernedUsers - namedIds.length));
  return ids.length === 0 ? undefined : { ids, names: [], isShared: true };
}

function unnamed(moved: readonly string[], namedIds: readonly string[]): string[] {
  if (moved.length === 0) return [];
  const keys = new Set(namedIds.map(toResourceKey));
  return moved.filter((key) => !keys.has(key));
}

const namesOf = (user: JsonObject): string[] =>
  [valueOf(user, 'userName'), valueOf(user, 'externalId'), ...addressesOf(valueOf(user, 'emails'))].filter(isName).slice(0, 10);

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

const memberIds = (members: unknown): string[] =>
  listOf(members)
    .slice(0, maxConcernedUsers)
    .map((member) => (isObject(member) ? valueOf(member, 'value') : member))
    .filter(isName);

/**
 * Reads what providers send: `path` is `members`, or `members[value eq "…"]` with one
 * value or several, or absent if the value has `members`.
 */
function patchedMembers(operations: unknown[]): string[] {
  const ids: string[] = [];
  for (const operation of operations) {
    if (ids.length >= maxConcernedUsers) break;
    if (!isObject(operation)) continue;
    const [path, value] = [valueOf(operation, 'path'), valueOf(operation, 'value')];
    if (!isName(path)) ids.push(...(isObject(value) ? memberIds(valueOf(value, 'members')) : []));
    else if (/^(?:[\w.:]*:)?members\b/i.test(path)) {
      ids.push(...(path.includes('[') ? findValues(path, memberSomewhere) : memberIds(value)));
    }
  }
  return ids;
}

/** Names are compared without case, as SCIM does. */
function valueOf(object: JsonObject, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name];
  const folded = name.toLowerCase();
  for (const key in object) if (key.length === name.length && key.toLowerCase() === folded) return object[key];
  return undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
