import { invalidValue } from '../errors.ts';
import type { Filter } from '../filter/filter.ts';
import { isObject, type JsonObject, findName } from '../json.ts';
import type { ResourceType } from '../schema/attribute.ts';
import type { RequestedOperation } from './to-operations.ts';
import { readFields } from '../message.ts';
import { checkText } from '../resource/size-limits.ts';
import type { Member, MemberChange, Target } from './read-patch.ts';

export const isOfMembers = ({ path }: Target, { name }: ResourceType) =>
  name === 'Group' && path.extension === undefined && path.attribute === 'members';

/** Translates an operation on a group's members. Members can only be added and removed: their attributes are immutable. */
export function toMemberChanges({ op, target, value: given }: RequestedOperation): MemberChange[] {
  const { filter, path } = target;
  const value = unwrap(given);
  if (path.sub !== undefined && path.sub !== 'value') return [];
  if (op === 'remove') return filter ? removeBy(filter) : removeGiven(value);
  if (value === undefined) throw invalidValue(`${op} of members requires a value.`);
  const members = readMembers(value);
  const added: MemberChange[] = members.length > 0 ? [{ kind: 'add', members }] : [];
  if (op === 'add') return added;
  return filter ? [...removeBy(filter), ...added] : [{ kind: 'replace', members }];
}

/** Without a value, all members are removed; with an empty list, none (RFC 7644, section 3.5.2.2). */
function removeGiven(value: unknown): MemberChange[] {
  if (value === undefined) return [{ kind: 'replace', members: [] }];
  const values = readMembers(value).map((member) => member.value);
  return values.length > 0 ? [{ kind: 'remove', values }] : [];
}

function removeBy(filter: Filter): MemberChange[] {
  const values = valuesIn(filter);
  return [values ? { kind: 'remove', values: [...new Set(values)] } : { kind: 'removeMatching', filter }];
}

/** `value eq "1" or value eq "2"` */
function valuesIn(filter: Filter): string[] | undefined {
  if (filter.kind === 'or') {
    const values = filter.terms.map(valuesIn);
    return values.some((found) => !found) ? undefined : values.flatMap((found) => found!);
  }
  const isOfValue = filter.kind === 'compare' && filter.operator === 'eq' && filter.path.attribute === 'value';
  return isOfValue && typeof filter.value === 'string' ? [filter.value] : undefined;
}

/** Salesforce wraps members in `{"members": […]}`. */
function unwrap(value: unknown): unknown {
  if (!isObject(value) || findName(value, 'value') !== undefined) return value;
  const name = findName(value, 'members');
  return name === undefined ? value : value[name];
}

/** Reads members given as objects or ids, one or many. Duplicates count once. */
export function readMembers(value: unknown): Member[] {
  const members = new Map<string, Member>();
  for (const item of Array.isArray(value) ? value : [value]) {
    if (item === null || item === undefined) continue;
    const member = readMember(item);
    if (!members.has(member.value)) members.set(member.value, member);
  }
  return [...members.values()];
}

function readMember(item: unknown): Member {
  if (typeof item === 'string') return { value: readId(item) };
  if (!isObject(item)) throw invalidValue('members must be an array of objects, like [{"value": "<id of the member>"}].');
  const fields = hasUsualNames(item) ? item : Object.fromEntries(readFields(item));
  const value = readId(fields['value']);
  const display = fields['display'] ?? '';
  if (typeof display !== 'string') throw invalidValue('members.display must be a string.');
  checkText(display, 'members.display');
  return { value, ...(display !== '' && { display }) };
}

const usualNames = new Set(['value', 'display', '$ref', 'type']);

/** In a list of 100,000 members, reading the names of each into a map would take most of the time. */
function hasUsualNames(item: JsonObject): boolean {
  for (const name in item) if (!usualNames.has(name)) return false;
  return true;
}

function readId(value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '') throw invalidValue("members.value must be a string with the member's id.");
  checkText(value, 'members.value');
  return value;
}
