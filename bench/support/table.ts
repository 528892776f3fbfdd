export interface Column {
  title: string;
  width: number;
}

/** Rows appear as they are measured, so the widths stand beforehand. */
export function startTable(columns: Column[]): (cells: string[]) => void {
  const print = (cells: string[]) => console.log(columns.map(({ width }, index) => (cells[index] ?? '').padStart(width)).join('  '));
  print(columns.map(({ title }) => title));
  print(columns.map(({ width }) => '-'.repeat(width)));
  return print;
}

/** Three digits tell all that can be told. */
export const formatNumber = (value: number) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));
