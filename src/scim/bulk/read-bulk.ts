import { OverBudgetError, ScimError, invalidSyntax, invalidValue, tooLarge } from '../errors.ts';
import { readMessage } from '../message.ts';
import { type BulkMethod, type BulkOperation, type BulkRequest, type InvalidBulkOperation, bulkMethods } from './operation.ts';
import { type BulkEntry, readEntry, readPath } from './read-entry.ts';
import { isObject } from '../json.ts';
import { type Versions, readVersions } from '../preconditions.ts';
import type { ResourceTypeName } from '../schema/attribute.ts';
import { type Resolve, resolveReference, resolveReferences } from './references.ts';

export const maxBulkOperations = 1000;

interface BulkOptions {
  /** Assigns an id to each create, so that other operations can refer to it. */
  newId(): string;
  maxOperations?: number;
}

/** Reads the body of `POST /Bulk`. An invalid operation becomes an error of that operation alone. */
export function readBulk(body: unknown, { newId, maxOperations = maxBulkOperations }: BulkOptions): BulkRequest {
  const message = readMessage(body, 'BulkRequest');
  const failOnErrors = readFailOnErrors(message.get('failonerrors'));
  const given = message.get('operations');
  if (!Array.isArray(given)) throw invalidSyntax('Operations must be an array.');
  if (given.length > maxOperations) throw tooLarge(`A Bulk request must contain at most ${maxOperations} operations (maxOperations).`);

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
    ? `POST requires the path /${resourceType}s, without an id.`
    : `${method} requires the path of one resource: /${resourceType}s/<id>.`;

function readVersion(version: unknown): Versions | undefined {
  if (version !== undefined && typeof version !== 'string' && typeof version !== 'number')
    throw invalidSyntax('version must be a string, as in meta.version.');
  return readVersions(version?.toString());
}
