import { formatNumber } from './table.ts';

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
