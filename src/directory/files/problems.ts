import { type FileKind, type FileProblem, type FoundLines, fileNames } from './ports.ts';

/** Why files were not accepted. */
export interface InvalidFiles {
  problems: FileProblem[];
  /** How many more there are. */
  more: number;
}

/** How many problems are listed. */
const maxListed = 50;

/** Lists the first problems, and counts all. */
export function createProblems() {
  const problems: FileProblem[] = [];
  let total = 0;
  const add = (kind: FileKind, line: number | null, column: number | null, message: string) => {
    total += 1;
    if (problems.length < maxListed) problems.push({ file: fileNames[kind], line, column, message });
  };
  return {
    limit: maxListed,
    total: () => total,
    add,
    addLines(kind: FileKind, { lines, total: found }: FoundLines, message: string, column: number | null) {
      for (const line of lines) add(kind, line, column, message);
      total += found - lines.length;
    },
    found: (): InvalidFiles => ({ problems, more: total - problems.length }),
  };
}

/** Counted from 1, like lines. */
export const columnOf = (columns: readonly string[] | undefined, name: string): number | null => (columns?.indexOf(name) ?? -1) + 1 || null;
