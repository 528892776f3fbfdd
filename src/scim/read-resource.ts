import { invalidSyntax, invalidValue, tooLarge } from './errors.ts';
import { emptyObject, isObject, nameIn, type JsonObject } from './json.ts';
import { applyPatch } from './patch/apply-patch.ts';
import { attributesOf, type TargetedValue } from './patch/attributes-of.ts';
import type { PatchOperation } from './patch/operation.ts';
import { isOurs, readOperation } from './patch/read-operation.ts';
import type { ResourceType } from './schema/attribute.ts';

const maxResourceBytes = 1_048_576;

/** Reads the body of a POST or PUT: what is left of an empty resource when all that was sent has been added. */
export function readResource(body: unknown, type: ResourceType, { except }: { except?: string } = {}): JsonObject {
  if (!isObject(body)) throw invalidSyntax(`The body must be a JSON object: a SCIM ${type.name}.`);
  const schemas = readSchemas(body[nameIn(body, 'schemas')], type);
  const operations = attributesOf(body, type)
    .filter(({ target }) => !isOurs(target.path, type) && target.path.attribute !== except)
    .flatMap((given) => readOperation({ op: 'add', hasValue: true, ...given }, type));
  return finish({ ...emptyObject(), schemas, ...applyPatch(emptyObject(), inPlace(operations), type) }, type);
}

/** What is written into a path comes after that which is written whole. */
const inPlace = (operations: PatchOperation[]) => operations.toSorted((one, other) => depthOf(one) - depthOf(other));
const depthOf = ({ target }: Pick<TargetedValue, 'target'>) => (target.filter || target.path.sub !== undefined ? 1 : 0);

/** The extensions that are there are named; what else was named stays. */
export function finish(resource: JsonObject, type: ResourceType): JsonObject {
  const named = Array.isArray(resource['schemas']) ? (resource['schemas'] as string[]) : [type.schema.id];
  const isNamed = (urn: string) => named.some((one) => one.toLowerCase() === urn.toLowerCase());
  const missing = type.extensions.filter(({ id }) => isObject(resource[id]) && !isNamed(id)).map(({ id }) => id);
  const finished = missing.length > 0 ? { ...resource, schemas: [...named, ...missing] } : resource;
  const bytes = Buffer.byteLength(JSON.stringify(finished));
  if (bytes > maxResourceBytes) throw tooLarge(`The ${type.name} has ${bytes} bytes; at most ${maxResourceBytes} are kept.`);
  return finished;
}

/** The URN of this type, or of SCIM 1.1 (OneLogin), must be among them; Entra names others besides. */
function readSchemas(schemas: unknown, type: ResourceType): string[] {
  if (schemas === undefined || schemas === null || (Array.isArray(schemas) && schemas.length === 0)) return [type.schema.id];
  const urns = typeof schemas === 'string' ? [schemas] : schemas;
  if (!Array.isArray(urns) || !urns.every((urn) => typeof urn === 'string')) throw invalidValue('schemas must be a list of strings.');
  const own = type.schema.id.toLowerCase();
  if (!urns.some((urn) => [own, 'urn:scim:schemas:core:1.0'].includes(urn.toLowerCase())))
    throw invalidSyntax(`schemas must contain ${type.schema.id}.`);
  return urns;
}
