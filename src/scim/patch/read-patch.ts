import { createBudget, type Budget } from '../budget.ts';
import { invalidPath, invalidSyntax, invalidValue, noTarget, tooLarge } from '../errors.ts';
import { parsePath } from '../filter/parse-filter.ts';
import { isObject, isUnset, type JsonObject } from '../json.ts';
import { readFields } from '../message.ts';
import { readEntries, weighPath } from '../resource/read-entries.ts';
import type { AttributePath, ResourceType } from '../schema/attribute.ts';
import { isOfMembers, toMemberChanges } from './member-changes.ts';
import { toOperations, type RequestedOperation } from './to-operations.ts';
import type { Filter } from '../filter/filter.ts';

/** `emails[type eq "work"].value`: `filter` selects values of `path`, and `path.sub` names a sub-attribute of each. */
export interface Target {
  path: AttributePath;
  filter?: Filter;
}

/** A PATCH operation in normalized form: it always has a target. Plain JSON. */
export type PatchOperation =
  | { op: 'add' | 'replace'; target: Target; value: unknown }
  /** With a value, only matching elements are removed (Entra, OneLogin, JumpCloud). */
  | { op: 'remove'; target: Target; value?: unknown };

export interface Member {
  /** The id that the identity provider sent; usually one of ours. */
  value: string;
  display?: string;
}

/** The changes of a PATCH to a group's members, in order. Members are rows in the database, not part of the document. */
export type MemberChange =
  | { kind: 'add'; members: Member[] }
  | { kind: 'remove'; values: string[] }
  /** An empty list removes all members. */
  | { kind: 'replace'; members: Member[] }
  /** For filters other than `value eq "…"`. */
  | { kind: 'removeMatching'; filter: Filter };

const urn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const maxOperations = 1_000;

/** Reads the body of a PATCH in all known dialects (RFC 7644, section 3.5.2). */
export function readPatch(
  body: unknown,
  type: ResourceType,
  budget: Budget = createBudget(),
): { operations: PatchOperation[]; members: MemberChange[] } {
  const requestedOperations = readOperations(body).flatMap((operation) => readOperation(operation, type, budget));
  const read = { operations: [] as PatchOperation[], members: [] as MemberChange[] };
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
  if (operations.length > maxOperations) throw tooLarge(`A PATCH must have at most ${maxOperations} operations.`);
  return operations;
}

function readOperation(operation: unknown, type: ResourceType, budget: Budget): RequestedOperation[] {
  if (!isObject(operation))
    throw invalidSyntax('Each operation must be an object, like {"op": "replace", "path": "active", "value": false}.');
  const fields = readFields(operation);
  const op = readOp(fields.get('op'));
  const path = fields.get('path') ?? '';
  if (typeof path !== 'string') throw invalidPath('path must be a string, like "name.givenName".');
  const value = valueOf(operation);
  budget.spend(stepsPerName + weighPath(path));
  if (!isWhole(path.trim(), type)) return [{ op, target: parsePath(path, type), value }];
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
