import { invalidSyntax, invalidValue, OverBudgetError, ScimError } from '../errors.ts';
import { isObject } from '../json.ts';
import { readVersions, type Versions } from '../preconditions.ts';
import type { ResourceTypeName } from '../schema/attribute.ts';
import { bulkMethods, type BulkMethod, type BulkOperation, type InvalidBulkOperation } from './operation.ts';
import { type BulkEntry, readPath } from './read-entry.ts';
import { resolveReference, resolveReferences, type Resolve } from './references.ts';

/** The creates of the request, by `bulkId`. */
export type Creations = Map<string, { index: number; id: string }>;

export function readOperation(entry: BulkEntry, creations: Creations): BulkOperation | InvalidBulkOperation {
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
