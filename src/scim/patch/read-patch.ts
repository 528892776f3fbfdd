import { invalidSyntax, noTarget, tooLarge } from '../errors.ts';
import { parsePath } from '../filter/parse-path.ts';
import { isObject, nameIn, type JsonObject } from '../json.ts';
import type { ResourceType } from '../schema/attribute.ts';
import { attributesOf, withinExtension, type TargetedValue } from './attributes-of.ts';
import type { MemberChange, PatchOperation } from './operation.ts';
import { readMemberChanges } from './read-members.ts';
import { isOurs, readOperation } from './read-operation.ts';

const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const maxOperations = 1_000;

export interface Patch {
  operations: PatchOperation[];
  /** Of a group. */
  members: MemberChange[];
}

/** Reads the body of a PATCH, in any provider's dialect (RFC 7644, section 3.5.2). */
export function readPatch(body: unknown, type: ResourceType): Patch {
  if (!isObject(body)) throw invalidSyntax('The body must be a JSON object: a PatchOp.');
  refuseOtherSchemas(body[nameIn(body, 'schemas')]);
  const given = body[nameIn(body, 'Operations')];
  const list = isObject(given) ? [given] : given;
  if (!Array.isArray(list) || list.length === 0) throw invalidSyntax('Operations must be a list with at least one operation.');
  if (list.length > maxOperations)
    throw tooLarge(`The PATCH has ${list.length} operations; at most ${maxOperations} are taken at once: send it in parts.`);
  const patch: Patch = { operations: [], members: [] };
  for (const [index, item] of (list as unknown[]).entries()) {
    if (!isObject(item)) throw invalidSyntax(`Operations[${index}] must be an object with op, path and value.`);
    readInto(patch, item, index, type);
  }
  return patch;
}

/** Some send none; another message's would be a mistake. */
function refuseOtherSchemas(schemas: unknown): void {
  if (schemas === undefined || schemas === null) return;
  const isNamed = Array.isArray(schemas) && schemas.some((urn) => typeof urn === 'string' && urn.toLowerCase() === patchUrn.toLowerCase());
  if (!isNamed) throw invalidSyntax(`schemas must contain ${patchUrn}.`);
}

function readInto(patch: Patch, item: JsonObject, index: number, type: ResourceType): void {
  const op = readOp(item[nameIn(item, 'op')], index);
  const valueName = nameIn(item, 'value');
  const hasValue = Object.hasOwn(item, valueName);
  for (const { target, name, value } of readTargets(op, item[nameIn(item, 'path')], item[valueName], type)) {
    if (isOurs(target.path, type)) continue;
    const { extension, attribute } = target.path;
    if (type.name === 'Group' && extension === undefined && attribute === 'members')
      patch.members.push(...readMemberChanges({ op, target, value, hasValue }));
    else patch.operations.push(...readOperation({ op, target, name, value, hasValue }, type));
  }
}

function readOp(op: unknown, index: number): PatchOperation['op'] {
  const lower = typeof op === 'string' ? op.toLowerCase() : '';
  if (lower !== 'add' && lower !== 'replace' && lower !== 'remove')
    throw invalidSyntax(`Operations[${index}].op must be add, remove or replace.`);
  return lower;
}

function readTargets(op: PatchOperation['op'], path: unknown, value: unknown, type: ResourceType): TargetedValue[] {
  if (path !== undefined && path !== null && typeof path !== 'string') throw invalidSyntax('path must be a string.');
  if (typeof path === 'string' && path.trim() !== '') {
    const target = parsePath(path.trim(), type);
    const isWholeExtension = target.path.attribute === undefined;
    if (isWholeExtension && op !== 'remove') return withinExtension(target.path.extension!, value, type);
    return [{ target, name: path.trim(), value }];
  }
  if (isObject(value)) return attributesOf(value, type);
  if (op === 'remove') throw noTarget('A remove needs a path that says what to remove.');
  throw invalidSyntax(`Without a path, the value of ${op} must be an object of attributes.`);
}
