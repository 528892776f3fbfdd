import { columnOf } from '../../directory/files/problems.ts';
import type { FileKind, ParsedItem, ParseFile } from '../../directory/files/ports.ts';
import { ScimError } from '../../scim/errors.ts';
import { checkText } from '../../scim/resource/size-limits.ts';
import { foldCase, isCleanText } from '../../scim/text.ts';
import { hasControls, readColumns } from './columns.ts';
import { FileError } from './file-error.ts';
import { type CsvRecord, readRecords } from './read-records.ts';
import { type Cells, knownActiveWords, readActive, userNameOf } from './records.ts';

/** Lines with separators only count too: the parser takes as long for them. */
const defaultMaxRows = 5_000_000;
const maxCellLength = 10_000;

/** Reads a file as it arrives, and checks each line on its own. */
export const parseFile = async function* parse(
  kind: FileKind,
  bytes: AsyncIterable<Uint8Array>,
  { maxRows = defaultMaxRows, ...options }: Parameters<ParseFile>[2] & { maxRows?: number },
): AsyncGenerator<ParsedItem, void, undefined> {
  let columns: string[] | undefined;
  let rows = 0;
  try {
    for await (const record of readRecords(bytes, options)) {
      if (!columns) {
        columns = readColumns(kind, record);
        yield { kind: 'columns', names: columns };
        continue;
      }
      rows += 1;
      if (rows > maxRows) throw new FileError(record.line, null, `The file has more than ${maxRows} rows (fixed limit).`);
      if (record.cells.every((cell) => cell.trim() === '')) continue;
      yield* readRow(kind, columns, record);
    }
    if (!columns) readColumns(kind, undefined);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const { line, column, message } = error;
    yield { kind: 'problem', line, column, message };
  }
};

function* readRow(kind: FileKind, columns: string[], { line, cells: given }: CsvRecord): Generator<ParsedItem> {
  if (given.length !== columns.length)
    return yield problem(
      line,
      Math.min(given.length, columns.length) + 1,
      `The line has ${given.length} fields, and the first line names ${columns.length} columns.`,
    );
  const cells: Cells = {};
  for (const [index, cell] of given.entries()) {
    const wrong = problemOfCell(cell);
    if (wrong !== undefined) return yield problem(line, index + 1, `${columns[index]} ${wrong}`);
    const value = cell.trim();
    if (value !== '') cells[columns[index]!] = value;
  }
  const wrong = kind === 'members' ? problemOfMember(cells) : kind === 'users' ? problemOfUser(cells) : problemOfGroup(cells);
  if (wrong) return yield problem(line, columnOf(columns, wrong.column), `${wrong.column} ${wrong.message}`);
  if (kind === 'members') return yield { kind: 'member', member: { line, userId: cells['user_id']!, groupId: cells['group_id']! } };
  yield {
    kind: 'row',
    row: { externalId: cells['idp_id']!, line, nameKey: kind === 'users' ? foldCase(userNameOf(cells)) : undefined, cells },
  };
}

const problem = (line: number, column: number | null, message: string): ParsedItem => ({ kind: 'problem', line, column, message });

function problemOfCell(cell: string): string | undefined {
  if (cell.length > maxCellLength) return `has more than ${maxCellLength} characters (fixed limit).`;
  return !isCleanText(cell) || hasControls(cell) ? 'has control characters.' : undefined;
}

interface WrongCell {
  column: string;
  message: string;
}

const problemOfMember = (cells: Cells) => findWrongKey(cells, { user_id: 'externalId', group_id: 'externalId' });
const problemOfGroup = (cells: Cells) => findWrongKey(cells, { idp_id: 'externalId', name: 'displayName' });

function problemOfUser(cells: Cells): WrongCell | undefined {
  const wrong = findWrongKey(cells, { idp_id: 'externalId' });
  if (wrong) return wrong;
  const { email, active } = cells;
  if (email !== undefined) {
    if (!/^[^\s@]+@[^\s@]+$/.test(email)) return { column: 'email', message: 'must be an email address.' };
    const tooLong = problemOfText(email, 'userName');
    if (tooLong) return { column: 'email', message: tooLong };
  }
  return readActive(active) === undefined ? { column: 'active', message: `must be ${knownActiveWords}, or empty.` } : undefined;
}

function findWrongKey(cells: Cells, keys: Record<string, string>): WrongCell | undefined {
  for (const [column, limitedAs] of Object.entries(keys)) {
    const value = cells[column];
    if (value === undefined) return { column, message: 'must not be empty.' };
    const tooLong = problemOfText(value, limitedAs);
    if (tooLong) return { column, message: tooLong };
  }
  return undefined;
}

/** What a push would be rejected for. */
function problemOfText(text: string, limitedAs: string): string | undefined {
  try {
    checkText(text, limitedAs);
    return undefined;
  } catch (error) {
    if (!(error instanceof ScimError)) throw error;
    return error.message.replace(/^\S+ /, '');
  }
}
