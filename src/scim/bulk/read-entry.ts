import { invalidSyntax, invalidValue, ScimError } from '../errors.ts';
import { isObject } from '../json.ts';
import { readFields } from '../message.ts';

/** An operation as it was sent, before anything in it is understood. */
export interface BulkEntry {
  index: number;
  fields: Map<string, unknown>;
  /** In upper case; perhaps none that there is. */
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
      if (typeof text === 'string' && text.length > maxLength) throw invalidValue(`A ${title} has at most ${maxLength} characters.`);
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

/** By their names in small letters. The response repeats the first. */
const texts = {
  bulkid: { title: 'bulkId', maxLength: 200 },
  path: { title: 'path', maxLength: 2_000 },
  version: { title: 'version', maxLength: 500 },
};

const word = /^[a-z]{1,20}$/i;
