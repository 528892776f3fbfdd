import { docComment } from './doc-comment.mjs';
import { isPlainObject, objectOf, typeOf } from './type-of.mjs';

export const writeTypes = (types) => types.map(declare).join('\n');

function declare({ name, schema, isSent, description }) {
  const comment = docComment(schema.description ?? description);
  return isPlainObject(schema)
    ? `${comment}export interface ${name} ${objectOf(schema, isSent)}\n`
    : `${comment}export type ${name} = ${typeOf(schema, isSent)};\n`;
}
