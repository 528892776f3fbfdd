import { invalidSyntax, invalidValue, ScimError, notFound } from '../errors.ts';
import { isObject } from '../json.ts';
import { readFields } from '../message.ts';
import type { ResourceTypeName } from '../schema/attribute.ts';
import { resourceTypes } from '../schema/resource-types.ts';

/** An operation as sent, before it is interpreted. */
export interface BulkEntry {
  index: number;
  fields: Map<string, unknown>;
  /** In upper case; not necessarily a valid method. */
  method?: string;
  bulkId?: string;
  problem?: ScimError;
}

export function readEntry(entry: unknown, index: number): BulkEntry {
  try {
    if (!isObject(entry)) throw invalidSyntax('An operation must be a JSON object.');
    const fields = readFields(entry);
    const [method, bulkId] = [fields.get('method'), fields.get('bulkid')];
    for (const [name, { title, maxLength }] of Object.entries(texts)) {
      const text = fields.get(name);
      if (typeof text === 'string' && text.length > maxLength) throw invalidValue(`A ${title} must have at most ${maxLength} characters.`);
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

/** By lower-case name. The response repeats the bulkId. */
const texts = {
  bulkid: { title: 'bulkId', maxLength: 200 },
  path: { title: 'path', maxLength: 2_000 },
  version: { title: 'version', maxLength: 500 },
};

const word = /^[a-z]{1,20}$/i;

/** Reads `/Users`, `/Users/<id>`, or the same as a full URL. */
export function readPath(path: unknown): { resourceType: ResourceTypeName; id?: string } {
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
