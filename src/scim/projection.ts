import { invalidSyntax } from './errors.ts';
import { isObject, type JsonObject, emptyFor, setOwn } from './json.ts';
import { readParameters } from './message.ts';
import type { Attribute, AttributePath, ResourceType } from './schema/attribute.ts';
import { resolvePath } from './schema/resolve-path.ts';

/** By lower-case name: a whole attribute, or some of its sub-attributes. Extensions count as attributes. */
type Names = Map<string, Names | 'whole'>;

/** The part of a resource to return (RFC 7644, section 3.9): `only` these attributes, or the default attributes `without` these. */
export interface Projection {
  kind: 'only' | 'without';
  names: Names;
}

/** Reads a query or a message. If both lists are given, `attributes` applies. Unknown names are ignored. */
export function readProjection(query: { attributes?: unknown; excludedAttributes?: unknown } | object, type: ResourceType): Projection {
  const parameters = readParameters(query);
  const only = readNames(parameters.get('attributes'), type);
  return only.size > 0 ? { kind: 'only', names: only } : { kind: 'without', names: readNames(parameters.get('excludedattributes'), type) };
}

/** Whether an attribute of the resource must be read at all. */
export function includesAttribute({ kind, names }: Projection, attribute: string): boolean {
  const named = names.get(attribute.toLowerCase());
  return kind === 'only' ? named !== undefined : named !== 'whole';
}

export const project = (resource: JsonObject, projection: Projection, type: ResourceType): JsonObject =>
  projectObject(resource, projection, rulesOf(type));

const maxNames = 1_000;

function readNames(given: unknown[] | undefined, type: ResourceType): Names {
  const names: Names = new Map();
  let count = 0;
  for (const text of given ?? []) {
    if (text !== null && typeof text !== 'string') throw invalidSyntax('attributes and excludedAttributes must be lists of names.');
    const some = text?.split(',', maxNames + 1) ?? [];
    count += some.length;
    if (count > maxNames) throw invalidSyntax(`attributes and excludedAttributes must name at most ${maxNames} attributes (fixed limit).`);
    for (const name of some) for (const path of pathsOf(name.trim(), type)) add(names, path);
  }
  return names;
}

function pathsOf(name: string, type: ResourceType): AttributePath[] {
  const lowered = name.toLowerCase();
  if (lowered === type.schema.id.toLowerCase()) return type.schema.attributes.map((attribute) => ({ attribute: attribute.name }));
  const path = resolvePath(name, type);
  // It may also be an unknown extension, which is stored under its URN.
  return [...(path ? [path] : []), ...(lowered.startsWith('urn:') ? [{ extension: name }] : [])];
}

function add(names: Names, { extension, attribute, sub }: AttributePath): void {
  const steps = [extension, attribute, sub].filter((step) => step !== undefined).map((step) => step.toLowerCase());
  const last = steps.pop();
  if (last === undefined) return;
  let inner = names;
  for (const step of steps) {
    const next = inner.get(step) ?? new Map<string, Names | 'whole'>();
    if (next === 'whole') return;
    inner.set(step, next);
    inner = next;
  }
  inner.set(last, 'whole');
}

/** When the schema returns an attribute and its sub-attributes. */
interface Rule {
  returned: Attribute['returned'];
  within?: Rules;
}
type Rules = Map<string, Rule>;

function rulesOf(type: ResourceType): Rules {
  const known = rulesOfTypes.get(type);
  if (known) return known;
  const rules = toRules(type.schema.attributes);
  for (const { id, attributes } of type.extensions) rules.set(id.toLowerCase(), { returned: 'default', within: toRules(attributes) });
  for (const name of ['id', 'schemas']) rules.set(name, { returned: 'always' });
  rulesOfTypes.set(type, rules);
  return rules;
}
const rulesOfTypes = new WeakMap<ResourceType, Rules>();

const toRules = (attributes: Attribute[]): Rules =>
  new Map(
    attributes.map(({ name, returned, subAttributes }) => [
      name.toLowerCase(),
      { returned, ...(subAttributes && { within: toRules(subAttributes) }) },
    ]),
  );

function projectObject(object: JsonObject, projection: Projection, rules: Rules | undefined): JsonObject {
  const shown = emptyFor(object);
  for (const name of Object.keys(object)) {
    const key = name.toLowerCase();
    const rule = rules?.get(key);
    const inner = innerProjection(projection, key, rule?.returned ?? 'default');
    const value = inner && projectValue(object[name], inner, rule?.within);
    if (value !== undefined) setOwn(shown, name, value);
  }
  return shown;
}

/** The projection of an attribute's value; undefined if the attribute is dropped. */
function innerProjection({ kind, names }: Projection, key: string, returned: Attribute['returned']): Projection | undefined {
  const named = names.get(key);
  if (returned === 'never') return undefined;
  if (returned === 'always') return whole;
  if (kind === 'only') return named === 'whole' ? whole : named && { kind, names: named };
  if (named === 'whole' || returned === 'request') return undefined;
  return named ? { kind, names: named } : whole;
}

const whole: Projection = { kind: 'without', names: new Map() };

/**
 * Whether nothing inside is returned on request only, or never. Then values, such as a group's 200,000 members, are returned as they are.
 */
function showsAll(rules: Rules): boolean {
  const known = showingAll.get(rules);
  if (known !== undefined) return known;
  const shows = [...rules.values()].every(
    ({ returned, within }) => (returned === 'default' || returned === 'always') && (!within || showsAll(within)),
  );
  showingAll.set(rules, shows);
  return shows;
}
const showingAll = new WeakMap<Rules, boolean>();

function projectValue(value: unknown, projection: Projection, rules: Rules | undefined): unknown {
  if (projection === whole && (!rules || showsAll(rules))) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => projectValue(item, projection, rules)).filter((item) => item !== undefined);
    return items.length > 0 || value.length === 0 ? items : undefined;
  }
  if (!isObject(value)) return projection.kind === 'only' ? undefined : value;
  const object = projectObject(value, projection, rules);
  return Object.keys(object).length > 0 || Object.keys(value).length === 0 ? object : undefined;
}
