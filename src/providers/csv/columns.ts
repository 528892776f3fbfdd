import type { FileKind } from '../../directory/files/ports.ts';
import { isCleanText } from '../../scim/text.ts';
import { FileError } from './file-error.ts';
import { type CsvRecord, maxColumns } from './read-records.ts';

/** The columns that have a meaning. Each further one of users and groups is an attribute. */
const known: Record<FileKind, { required: readonly string[]; optional: readonly string[] }> = {
  users: { required: ['idp_id', 'email'], optional: ['first_name', 'last_name', 'active'] },
  groups: { required: ['idp_id', 'name'], optional: [] },
  members: { required: ['user_id', 'group_id'], optional: [] },
};

const maxNameLength = 100;

/** The names of the columns, in their order. Throws a `FileError` if the rest of the file cannot be understood. */
export function readColumns(kind: FileKind, header: CsvRecord | undefined): string[] {
  const { required, optional } = known[kind];
  if (!header) throw new FileError(1, null, `The file is empty. Its first line must name the columns: ${required.join(', ')}.`);
  const { line, cells } = header;
  if (cells.length > maxColumns) throw new FileError(line, maxColumns + 1, `The file has more than ${maxColumns} columns (fixed limit).`);
  const ours = new Set([...required, ...optional]);
  const names = cells.map((cell) => {
    const name = cell.trim();
    const folded = name.toLowerCase().replaceAll(' ', '_');
    return ours.has(folded) ? folded : name;
  });
  names.forEach((name, index) => {
    const problem = problemOf(name, names.indexOf(name) < index);
    if (problem) throw new FileError(line, index + 1, problem);
  });
  for (const name of required)
    if (!names.includes(name)) throw new FileError(line, null, `The column ${name} is missing. The first line must name the columns.`);
  return names;
}

function problemOf(name: string, isRepeated: boolean): string | undefined {
  if (name === '') return 'The column has no name.';
  if (name.length > maxNameLength) return `The name of the column has more than ${maxNameLength} characters (fixed limit).`;
  if (name === '__proto__' || !isCleanText(name) || hasControls(name)) return 'The name of the column has characters that are not allowed.';
  return isRepeated ? 'The name of the column is there twice.' : undefined;
}

/** Of a cell, line breaks and tabs are text. */
export const hasControls = (text: string) => /\p{Cc}/u.test(text.replaceAll(/[\t\n\r\u0085]/g, ''));
