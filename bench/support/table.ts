export interface Column {
  title: string;
  width: number;
}

/** Rows are printed as they are measured, so the widths are fixed. */
export function startTable(columns: Column[]): (cells: string[]) => void {
  const print = (cells: string[]) => console.log(columns.map(({ width }, index) => (cells[index] ?? '').padStart(width)).join('  '));
  print(columns.map(({ title }) => title));
  print(columns.map(({ width }) => '-'.repeat(width)));
  return print;
}

/** Formats with three significant digits. */
export const formatNumber = (value: number) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

export interface Target {
  title: string;
  /** Several values, such as the median and the 95th percentile, must all meet the target. */
  value: number | number[];
  relation: '≥' | '≤' | '<';
  bound: number;
  unit: '' | 'x' | ' ms' | ' MiB' | ' s';
}

export interface TargetResult {
  title: string;
  seen: string;
  target: string;
  met: boolean;
}

/** Results of all targets of this process. */
export const targetResults: TargetResult[] = [];

/** Prints a result and whether it meets its target. */
export function printTarget({ title, value, relation, bound, unit }: Target): void {
  const values = [value].flat();
  const isMet = values.every((one) => (relation === '≥' ? one >= bound : relation === '≤' ? one <= bound : one < bound));
  const shown = values.map((one) => `${formatNumber(one)}${unit}`).join(', ');
  targetResults.push({ title, seen: shown, target: `${relation} ${bound}${unit}`, met: isMet });
  console.log(`${title}: ${shown} (target ${relation} ${bound}${unit}${isMet ? '' : ', missed'})`);
}
