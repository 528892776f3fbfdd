import { invalidValue } from '../errors.ts';
import type { Filter } from '../filter/filter.ts';
import { isObject, nameIn } from '../json.ts';
import { maxKeyLength } from '../read-value.ts';
import type { Member, MemberChange, Target } from './operation.ts';

/** Members as a list, one alone, or bare ids. Each once. */
export function readMembers(value: unknown): Member[] {
  const given = Array.isArray(value) ? (value as unknown[]) : [value];
  const members = new Map<string, Member>();
  for (const item of given) {
    if (item === null || item === undefined) continue;
    const member = readMember(item);
    if (!members.has(member.value.toLowerCase())) members.set(member.value.toLowerCase(), member);
  }
  return [...members.values()];
}

function readMember(item: unknown): Member {
  if (typeof item === 'string') return readMember({ value: item });
  if (!isObject(item)) throw invalidValue('members must be a list of objects, like [{"value": "the id of a user"}].');
  const value = item[nameIn(item, 'value')];
  const display = item[nameIn(item, 'display')];
  if (typeof value !== 'string' || value === '') throw invalidValue('members.value must be the id of a user or group.');
  if (value.length > maxKeyLength) throw invalidValue(`members.value may have at most ${maxKeyLength} characters.`);
  return { value, ...(typeof display === 'string' && display !== '' && { display: display.slice(0, maxKeyLength).toWellFormed() }) };
}

interface MemberOperation {
  op: 'add' | 'replace' | 'remove';
  target: Target;
  value: unknown;
  hasValue: boolean;
}

/** Every form in which providers change members. */
export function readMemberChanges({ op, target, value, hasValue }: MemberOperation): MemberChange[] {
  const { filter, path } = target;
  if (op === 'remove') return readRemoval(filter, hasValue, value);
  // A member's display name is not what it is known by: there is nothing to change.
  if (path.sub !== undefined && path.sub !== 'value') return [];
  if (!filter) return [{ kind: op, members: readMembers(value) }];
  const values = readValues(filter);
  if (!values) throw invalidValue('Members are added by members[value eq "the id of a user"], or as a list.');
  return [{ kind: 'add', members: values.map((one) => ({ value: one })) }];
}

/** With an empty list nobody is removed; without any value all are (RFC 7644, section 3.5.2.2). */
function readRemoval(filter: Filter | undefined, hasValue: boolean, value: unknown): MemberChange[] {
  if (filter) {
    const values = readValues(filter);
    return [values ? { kind: 'remove', values } : { kind: 'removeMatching', filter }];
  }
  if (!hasValue) return [{ kind: 'replace', members: [] }];
  // Salesforce names the attribute again within the value.
  const named = isObject(value) ? value[nameIn(value, 'members')] : undefined;
  return [{ kind: 'remove', values: readMembers(named ?? value).map((member) => member.value) }];
}

/** The ids in `value eq "a" or value eq "b"`. */
function readValues(filter: Filter): string[] | undefined {
  if (filter.kind === 'compare' && filter.operator === 'eq' && filter.path.attribute === 'value' && typeof filter.value === 'string')
    return [filter.value];
  if (filter.kind !== 'or') return undefined;
  const values = filter.terms.map(readValues);
  return values.some((one) => one === undefined) ? undefined : values.flatMap((one) => one!);
}
