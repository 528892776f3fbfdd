import type { Warning } from '../../client/index.ts';
import type { Printer } from '../print.ts';

export function printWarnings(print: Printer, warnings: Warning[] = []): void {
  for (const { message } of warnings) print.note(`Warning: ${message}`);
}
