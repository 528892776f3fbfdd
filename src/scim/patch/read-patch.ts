import { createBudget, type Budget } from '../budget.ts';
import { invalidPath, invalidSyntax, invalidValue, noTarget, tooLarge } from '../errors.ts';
import { parsePath } from '../filter/parse-filter.ts';
import { type JsonObject, findName, isObject, isUnset } from '../json.ts';
import { readFields } from '../message.ts';
import { readEntries, weighPath } from '../resource/read-entries.ts';
import type { ResourceType } from '../schema/attribute.ts';
import { toOperations, type RequestedOperation } from './to-operations.ts';
import type { Filter, Target } from '../filter/filter.ts';
import type { Member, MemberChange, PatchOperation } from './operation.ts';
import { type PushedOperation, toPushedOperation } from './patch-pushed.ts';
import { checkText } from '../resource/size-limits.ts';

const urn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const maxOperations = 1_000;

/** Reads the body of a PATCH in all known dialects (RFC 7644, section 3.5.2). */
export function readPatch(
  body: unknown,
  type: ResourceType,
  budget: Budget = createBudget(),
): { operations: PatchOperation[]; members: MemberChange[]; pushed: PushedOperation[] } {
  const read = { operations: [] as PatchOperation[], members: [] as MemberChange[], pushed: [] as PushedOperation[] };
  const requestedOperations = readOperations(body).flatMap((operation) => readOperation(operation, { type, budget, pushed: read.pushed }));
  for (const requested of requestedOperations) {
    if (isOfMembers(requested.target, type)) for (const change of toMemberChanges(requested)) read.members.push(change);
    else for (const operation of toOperations(requested, { type, budget, stepsPerName })) read.operations.push(operation);
  }
  return read;
}

function readOperations(body: unknown): unknown[] {
  if (!isObject(body)) throw invalidSyntax('The body must be a JSON object: a SCIM PATCH.');
  const fields = readFields(body);
  const schemas = fields.get('schemas');
  const urns: unknown[] = Array.isArray(schemas) ? schemas : [schemas];
  if (!isUnset(schemas) && !urns.some((one) => typeof one === 'string' && one.toLowerCase() === urn.toLowerCase()))
    throw invalidSyntax(`schemas must be an array that contains ${urn}.`);
  const operations = fields.get('operations');
  if (!Array.isArray(operations) || operations.length === 0)
    throw invalidSyntax('Operations must be an array of operations, like [{"op": "replace", "path": "active", "value": false}].');
  if (operations.length > maxOperations) throw tooLarge(`A PATCH must have at most ${maxOperations} operations (fixed limit).`);
  return operations;
}

interface ReadOperationOptions {
  type: ResourceType;
  budget: Budget;
  /** Receives what the operation does to the pushed document. */
  pushed: PushedOperation[];
}

function readOperation(operation: unknown, { type, budget, pushed }: ReadOperationOptions): RequestedOperation[] {
  if (!isObject(operation))
    throw invalidSyntax('Each operation must be an object, like {"op": "replace", "path": "active", "value": false}.');
  const fields = readFields(operation);
  const op = readOp(fields.get('op'));
  const path = fields.get('path') ?? '';
  if (typeof path !== 'string') throw invalidPath('path must be a string, like "name.givenName".');
  const value = valueOf(operation);
  budget.spend(stepsPerName + weighPath(path));
  const isOfAll = isWhole(path.trim(), type);
  pushed.push(...toPushedOperation(op, isOfAll ? '' : path.trim(), value, type));
  if (!isOfAll) return [{ op, target: parsePath(path, type), value }];
  if (isObject(value)) return readEntries(value, { type, budget, stepsPerName }).map((entry) => ({ op, ...entry }));
  if (op === 'remove') throw noTarget('remove requires a path.');
  throw invalidValue(`${op} without a path requires an object as the value, like {"active": false}.`);
}

/** Each name becomes an operation. */
const stepsPerName = 15;

/** No path means the resource. So does the URN of the core schema, because extensions are named by their URN. */
const isWhole = (path: string, { schema }: ResourceType) => path === '' || path.toLowerCase() === schema.id.toLowerCase();

function readOp(given: unknown): RequestedOperation['op'] {
  const op = typeof given === 'string' ? given.toLowerCase() : given;
  if (op !== 'add' && op !== 'replace' && op !== 'remove') throw invalidSyntax('op must be "add", "replace" or "remove".');
  return op;
}

/** A value of null is significant; a missing one is not. */
function valueOf(operation: JsonObject): unknown {
  return Object.entries(operation).find(([name]) => name.toLowerCase() === 'value')?.[1];
}

export const isOfMembers = ({ path }: Target, { name }: ResourceType) =>
  name === 'Group' && path.extension === undefined && path.attribute === 'members';

/** Translates an operation on a group's members. Members can only be added and removed: their attributes are immutable. */
function toMemberChanges({ op, target, value: given }: RequestedOperation): MemberChange[] {
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

/** Reads members given as objects or IDs, one or many. Duplicates count once. */
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
  if (typeof value !== 'string' || value.trim() === '') throw invalidValue("members.value must be a string with the member's ID.");
  checkText(value, 'members.value');
  return value;
}
