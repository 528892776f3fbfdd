import { invalidValue } from '../errors.ts';
import { isObject, type JsonObject } from '../json.ts';
import { readFields } from '../message.ts';
import type { Member } from '../patch/operation.ts';
import { checkText } from './limits.ts';

/** Members as objects or as ids, one or many. Who is named twice is a member once. */
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

/** In a list of 100,000, a map of its names for each member would take most of the time. */
function hasUsualNames(item: JsonObject): boolean {
  for (const name in item) if (!usualNames.has(name)) return false;
  return true;
}

function readId(value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '') throw invalidValue("members.value must be a string: the member's id.");
  checkText(value, 'members.value');
  return value;
}
