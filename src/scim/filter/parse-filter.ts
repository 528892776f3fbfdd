import type { ResourceType } from '../schema/attribute.ts';
import type { Filter } from './filter.ts';
import { createReader, type Reader } from './reader.ts';
import { readAttribute, assertBracketsAllowed, type ResolvedName } from './read-attribute.ts';
import type { Place } from './attribute-of.ts';
import { readComparison } from './read-comparison.ts';
import type { Target } from '../patch/read-patch.ts';

/**
 * Parses a filter (RFC 7644, section 3.4.2.2), including common deviations of identity providers: plus signs for spaces, unquoted values,
 * `True`. Throws a ScimError: `invalidFilter`, or `tooMany` if it is too long, too deep or has too many comparisons.
 */
export function parseFilter(text: string, type: ResourceType): Filter {
  const reader = createReader(text, 'filter');
  const filter = readFilter(reader, { type });
  if (!reader.isAtEnd()) throw reader.error('expected "and", "or" or the end.');
  return filter;
}

/**
 * Parses the path of a PATCH operation (RFC 7644, section 3.5.2). Throws a ScimError: `invalidPath`, or inside brackets `invalidFilter` or
 * `tooMany`.
 */
export function parsePath(text: string, type: ResourceType): Target {
  const reader = createReader(text, 'path');
  const subject = readAttribute(reader, { type });
  const { path } = subject;
  reader.skipSpace();
  const filter = reader.take('[') ? readBrackets(reader, { subject, place: { type } }) : undefined;
  const sub = filter && reader.take('.') ? readAttribute(reader, { type, outer: path }).path.attribute! : path.sub;
  if (!reader.isAtEnd()) throw reader.error('expected the end of the path.');
  return { path: { ...path, ...(sub !== undefined && { sub }) }, ...(filter && { filter }) };
}

/** `not` binds strongest, then `and`, then `or`. */
function readFilter(reader: Reader, place: Place): Filter {
  const readConjunction = () => readChain(reader, 'and', () => readTerm(reader, place));
  return readChain(reader, 'or', readConjunction);
}

function readChain(reader: Reader, kind: 'and' | 'or', readOne: () => Filter): Filter {
  const first = readOne();
  const terms = [first];
  while (reader.takeWord(kind)) terms.push(readOne());
  return terms.length === 1 ? first : { kind, terms };
}

function readTerm(reader: Reader, place: Place): Filter {
  reader.skipSpace();
  if (reader.take('(')) return readGroup(reader, place);
  const isNot = reader.takeWord('not');
  if (isNot) {
    reader.skipSpace();
    if (!reader.take('(')) throw reader.error('expected ( after not.');
    return { kind: 'not', term: readGroup(reader, place) };
  }
  const subject = readAttribute(reader, place);
  reader.skipSpace();
  if (!reader.take('[')) return readComparison(reader, subject);
  if (place.outer) throw reader.error('brackets cannot be nested.');
  return readElement(reader, { subject, place });
}

function readGroup(reader: Reader, place: Place): Filter {
  reader.enter();
  const filter = readFilter(reader, place);
  reader.leave(')');
  return filter;
}

/** `emails[type eq "work"].value eq "x"` means `emails[type eq "work" and value eq "x"]`. */
function readElement(reader: Reader, { subject, place }: { subject: ResolvedName; place: Place }): Filter {
  const { path } = subject;
  const filter = readBrackets(reader, { subject, place });
  if (!reader.take('.')) return { kind: 'element', path, filter };
  const within = { ...place, outer: path };
  const last = readComparison(reader, readAttribute(reader, within));
  return { kind: 'element', path, filter: { kind: 'and', terms: filter.kind === 'and' ? [...filter.terms, last] : [filter, last] } };
}

/** Called after the opening bracket. */
function readBrackets(reader: Reader, { subject, place }: { subject: ResolvedName; place: Place }): Filter {
  assertBracketsAllowed(reader, subject);
  reader.enter();
  const filter = readFilter(reader, { ...place, outer: subject.path });
  reader.leave(']');
  return filter;
}
