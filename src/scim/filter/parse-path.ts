import type { Target } from '../patch/operation.ts';
import type { ResourceType } from '../schema/attribute.ts';
import { readBrackets } from './read-filter.ts';
import { createReader } from './reader.ts';
import { readAttribute } from './resolve-name.ts';

/** Parses the path of a PATCH operation (RFC 7644, section 3.5.2). Throws a ScimError: `invalidPath`, and within brackets `invalidFilter` or `tooMany`. */
export function parsePath(text: string, type: ResourceType): Target {
  const reader = createReader(text, 'path');
  const subject = readAttribute(reader, { type });
  const { path } = subject;
  reader.skipSpace();
  const filter = reader.take('[') ? readBrackets(reader, { subject, place: { type } }) : undefined;
  const sub = filter && reader.take('.') ? readAttribute(reader, { type, outer: path }).path.attribute! : path.sub;
  if (!reader.isAtEnd()) throw reader.refusal('expected the end.');
  return { path: { ...path, ...(sub !== undefined && { sub }) }, ...(filter && { filter }) };
}
