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
    if (typeof bulkId === 'string' && bulkId.length > maxBulkIdLength)
      throw invalidValue(`A bulkId has at most ${maxBulkIdLength} characters.`);
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

/** The response repeats it. */
const maxBulkIdLength = 200;

const word = /^[a-z]{1,20}$/i;
