export interface Figure {
  title: string;
  value: number;
  unit?: string;
  /** The run fails above this. */
  atMost?: number;
  /** Printed if the run fails. */
  details?: string[];
}

export const isMissed = ({ value, atMost }: Figure) => atMost !== undefined && value > atMost;

export function toTable(figures: Figure[]): string {
  const width = Math.max(...figures.map(({ title }) => title.length));
  return figures
    .map((figure) => {
      const { title, value, unit = '', atMost, details = [] } = figure;
      const verdict = atMost === undefined ? '' : isMissed(figure) ? `   FAILED: at most ${atMost}` : `   (at most ${atMost})`;
      const more = isMissed(figure) ? details.slice(0, 5).map((detail) => `\n    ${detail}`) : [];
      return `${title.padEnd(width)}  ${String(value).padStart(8)}${unit.padEnd(3)}${verdict}${more.join('')}`.trimEnd();
    })
    .join('\n');
}
