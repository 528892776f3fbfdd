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

export interface Aim {
  title: string;
  /** Several, like the median and the 95th percentile, must all reach it. */
  value: number | number[];
  relation: '≥' | '≤' | '<';
  bound: number;
  unit: '' | 'x' | ' ms' | ' MiB' | ' s';
}

/** A benchmark ends with what it was run for. */
export function printAim({ title, value, relation, bound, unit }: Aim): void {
  const values = [value].flat();
  const isMet = values.every((one) => (relation === '≥' ? one >= bound : relation === '≤' ? one <= bound : one < bound));
  const shown = values.map((one) => `${formatNumber(one)}${unit}`).join(', ');
  console.log(`${title}: ${shown} (aim ${relation} ${bound}${unit}${isMet ? '' : ', missed'})`);
}
