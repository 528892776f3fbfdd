import { readFileSync } from 'node:fs';
import { LineCounter, parseDocument, type Document } from 'yaml';
import { z } from 'zod';
import { StartupError } from '../errors.ts';

export const positive = z.int('must be a whole number above 0').min(1, 'must be a whole number above 0');

interface Problem {
  offset: number;
  text: string;
}

/** Reads YAML or JSON. Reports all problems together, by file, line and field. */
export function readValidatedFile<Schema extends z.ZodType>(path: string, schema: Schema): z.output<Schema> {
  const lines = new LineCounter();
  const document = parseDocument(read(path), { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) throw toError(document.errors.map(({ pos, message }) => ({ offset: pos[0], text: message })));
  const parsed = schema.safeParse(toValue());
  if (parsed.success) return parsed.data;
  throw toError(parsed.error.issues.flatMap((issue) => describe(document, issue)));

  function toValue(): unknown {
    try {
      return document.toJS();
    } catch (error) {
      throw toError([{ offset: 0, text: (error as Error).message }]);
    }
  }

  function toError(problems: Problem[]) {
    const sorted = problems.toSorted((a, b) => a.offset - b.offset);
    return new StartupError(sorted.map(({ offset, text }) => `${path}:${lines.linePos(offset).line}: ${text}`).join('\n'));
  }
}

function describe(document: Document, issue: z.core.$ZodIssue): Problem[] {
  if (issue.code !== 'unrecognized_keys') return [{ offset: offsetOf(document, issue.path), text: toMessage(issue.path, issue.message) }];
  return issue.keys.map((key) => {
    const field = [...issue.path, key];
    return { offset: offsetOf(document, field), text: toMessage(field, 'is not a known field') };
  });
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new StartupError(`${path} can't be read: ${(error as Error).message}`, { cause: error });
  }
}

/** For a missing field, the position of its parent. */
function offsetOf(document: Document, field: PropertyKey[]): number {
  for (let length = field.length; length >= 0; length -= 1) {
    const node = document.getIn(field.slice(0, length), true) as { range?: [number, number, number] } | undefined;
    if (node?.range) return node.range[0];
  }
  return 0;
}

const toMessage = (field: PropertyKey[], message: string) => (field.length === 0 ? message : `${nameOf(field)} ${message}`);

const nameOf = (field: PropertyKey[]) =>
  field.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`)).join('');
