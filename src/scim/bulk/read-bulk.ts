import { OverBudgetError, ScimError, invalidSyntax, invalidValue, notFound, tooLarge } from '../errors.ts';
import { readFields, readMessage } from '../message.ts';
import { type BulkMethod, type BulkOperation, type BulkRequest, type InvalidBulkOperation, bulkMethods } from './operation.ts';
import { isObject } from '../json.ts';
import { type Versions, readVersions } from '../etag.ts';
import type { ResourceTypeName } from '../schema/attribute.ts';
import { type Resolve, resolveReference, resolveReferences } from './references.ts';
import { resourceTypes } from '../schema/resource-types.ts';

export const maxBulkOperations = 1000;

interface BulkOptions {
  /** Assigns an ID to each create, so that other operations can refer to it. */
  newId(): string;
  maxOperations?: number;
}

/** Reads the body of `POST /Bulk`. An invalid operation becomes an error of that operation alone. */
export function readBulk(body: unknown, { newId, maxOperations = maxBulkOperations }: BulkOptions): BulkRequest {
  const message = readMessage(body, 'BulkRequest');
  const failOnErrors = readFailOnErrors(message.get('failonerrors'));
  const given = message.get('operations');
  if (!Array.isArray(given)) throw invalidSyntax('Operations must be an array.');
  if (given.length > maxOperations)
    throw tooLarge(`A Bulk request must contain at most ${maxOperations} operations (maxOperations, a fixed limit).`);

  const entries = given.map(readEntry);
  const creations: Creations = new Map();
  for (const { index, method, bulkId } of entries) {
    if (method !== 'POST' || bulkId === undefined) continue;
    if (creations.has(bulkId)) throw invalidSyntax('Duplicate bulkId: each bulkId must identify one new resource.');
    creations.set(bulkId, { index, id: newId() });
  }
  const operations = entries.map((entry) => readOperation(entry, creations));
  const order = orderByDependency(operations.map((operation) => (operation.error ? [] : operation.dependsOn)));
  return { ...(failOnErrors !== undefined && { failOnErrors }), operations, order };
}

function readFailOnErrors(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 1)
    throw invalidValue('failOnErrors must be a whole number of at least 1.');
  return number;
}

/**
 * Orders operations after those they depend on, and otherwise as in the request (Tarjan's strongly connected components). Operations that
 * depend on each other keep their order.
 */
function orderByDependency(dependsOn: readonly (readonly number[])[]): number[] {
  const order: number[] = [];
  const open: number[] = [];
  const seenAt: (number | undefined)[] = [];
  const isDone: boolean[] = [];
  let count = 0;

  for (const index of dependsOn.keys()) if (seenAt[index] === undefined) visit(index);
  return order;

  /** Returns the earliest open operation that this one leads to. */
  function visit(index: number): number {
    const at = count++;
    seenAt[index] = at;
    open.push(index);
    let earliest = at;
    for (const other of dependsOn[index]!) if (!isDone[other]) earliest = Math.min(earliest, seenAt[other] ?? visit(other));
    if (earliest === at) {
      const circle = open.splice(open.lastIndexOf(index)).sort((one, other) => one - other);
      for (const member of circle) isDone[member] = true;
      order.push(...circle);
    }
    return earliest;
  }
}

/** The creates of the request, by `bulkId`. */
type Creations = Map<string, { index: number; id: string }>;

function readOperation(entry: BulkEntry, creations: Creations): BulkOperation | InvalidBulkOperation {
  const { index, method, bulkId, fields } = entry;
  const known: Omit<InvalidBulkOperation, 'error'> = { index, ...(method && { method }), ...(bulkId && { bulkId }) };
  const dependsOn = new Set<number>();
  const resolve: Resolve = (name) => {
    const creation = creations.get(name);
    if (!creation) throw invalidValue('No POST in this request has the bulkId that this operation refers to.');
    if (creation.index !== index) dependsOn.add(creation.index);
    return creation.id;
  };

  try {
    if (entry.problem) throw entry.problem;
    if (!isBulkMethod(method)) throw invalidSyntax(`method must be one of ${bulkMethods.join(', ')}.`);
    const isNew = method === 'POST';
    const { resourceType, id } = readPath(fields.get('path'));
    known.resourceType = resourceType;
    if (isNew !== (id === undefined)) throw new ScimError({ status: 405, detail: wrongAddress(method, resourceType) });
    if (isNew && bulkId === undefined) throw invalidValue('POST requires a bulkId: a non-empty string.');
    known.resourceId = id === undefined ? creations.get(bulkId!)!.id : resolveReference(id, resolve);
    const ifMatch = isNew ? undefined : readVersion(fields.get('version'));
    const data = method === 'DELETE' ? undefined : fields.get('data');
    if (method !== 'DELETE' && !isObject(data)) throw invalidSyntax(`${method} requires data: a JSON object.`);
    return {
      index,
      method,
      ...(bulkId && { bulkId }),
      resourceType,
      resourceId: known.resourceId,
      isNew,
      ...(ifMatch !== undefined && { ifMatch }),
      ...(isObject(data) && { data: resolveReferences(data, { isPatch: method === 'PATCH' }, resolve) }),
      dependsOn: [...dependsOn],
    };
  } catch (error) {
    if (!(error instanceof ScimError) || error instanceof OverBudgetError) throw error;
    return { ...known, error: error.details };
  }
}

const isBulkMethod = (method: string | undefined): method is BulkMethod => (bulkMethods as readonly unknown[]).includes(method);

const wrongAddress = (method: BulkMethod, resourceType: ResourceTypeName) =>
  method === 'POST'
    ? `POST requires the path /${resourceType}s, without an ID.`
    : `${method} requires the path of one resource: /${resourceType}s/<id>.`;

function readVersion(version: unknown): Versions | undefined {
  if (version !== undefined && typeof version !== 'string' && typeof version !== 'number')
    throw invalidSyntax('version must be a string, as in meta.version.');
  return readVersions(version?.toString());
}

/** An operation as sent, before it is interpreted. */
interface BulkEntry {
  index: number;
  fields: Map<string, unknown>;
  /** The method is in upper case, and may be invalid. */
  method?: string;
  bulkId?: string;
  problem?: ScimError;
}

function readEntry(entry: unknown, index: number): BulkEntry {
  try {
    if (!isObject(entry)) throw invalidSyntax('An operation must be a JSON object.');
    const fields = readFields(entry);
    const [method, bulkId] = [fields.get('method'), fields.get('bulkid')];
    for (const [name, { title, maxLength }] of Object.entries(texts)) {
      const text = fields.get(name);
      if (typeof text === 'string' && text.length > maxLength)
        throw invalidValue(`A ${title} must have at most ${maxLength} characters (fixed limit).`);
    }
    return {
      index,
      fields,
      ...(typeof method === 'string' && word.test(method) && { method: method.toUpperCase() }),
      ...(typeof bulkId === 'string' && bulkId !== '' && { bulkId }),
    };
  } catch (problem) {
    if (!(problem instanceof ScimError)) throw problem;
    return { index, fields: new Map(), problem };
  }
}

/** The fields that are texts, by their name in lower case. The response repeats the bulkId. */
const texts = {
  bulkid: { title: 'bulkId', maxLength: 200 },
  path: { title: 'path', maxLength: 2_000 },
  version: { title: 'version', maxLength: 500 },
};

const word = /^[a-z]{1,20}$/i;

/** Reads `/Users`, `/Users/<id>`, or the same as a full URL. */
function readPath(path: unknown): { resourceType: ResourceTypeName; id?: string } {
  if (typeof path !== 'string' || path.trim() === '') throw invalidSyntax('path must be a string like /Users or /Users/<id>.');
  const [address] = path.trim().split(/[?#]/, 1);
  const isWhole = /^https?:\/\//i.test(address!);
  const segments = address!.split('/').filter((segment) => segment !== '');
  const [first, second, ...rest] = isWhole ? endOf(segments) : segments;
  const type = typeAt(first);
  if (!type || rest.length > 0) throw notFound(`Invalid path: a Bulk request can change ${endpoints}.`);
  return { resourceType: type.name, ...(second !== undefined && { id: decode(second) }) };
}

const typeAt = (segment: string | undefined) =>
  resourceTypes.find(({ endpoint }) => endpoint.toLowerCase() === `/${segment?.toLowerCase()}`);

const endOf = (segments: string[]) => segments.slice(typeAt(segments.at(-2)) ? -2 : -1);

const endpoints = resourceTypes.map(({ endpoint }) => endpoint).join(' and ');

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw invalidSyntax('path is not a valid address: it contains an invalid percent-encoding.');
  }
}
