import { Option } from 'commander';
import type { AttributeMapping, Result, RoleTable } from '../client/index.ts';
import type { Context } from './connection.ts';
import { pluralize } from './output/format.ts';
import type { Printer } from './output/printer.ts';
import { createProgress } from './output/progress.ts';
import { pollUntilFinished } from './poll-until-finished.ts';

/** What mappings and role tables share: after a change, all users of the directory are computed again. */
type Recomputed = Pick<AttributeMapping | RoleTable, 'recompute'>;

export const noWaitOption = () => new Option('--no-wait', 'do not wait until all users are computed');

export interface WaitOptions {
  wait: boolean;
}

/** Returns what was stored, or with `--wait`, what is there when all users are computed. */
export async function untilRecomputed<Resource extends Recomputed, More>(
  { options, shell, errorContext }: Pick<Context<WaitOptions, unknown>, 'options' | 'shell' | 'errorContext'>,
  stored: Resource,
  read: () => Promise<Result<Resource, More>>,
): Promise<Resource> {
  if (!options.wait) return stored;
  const progress = createProgress(shell);
  return pollUntilFinished({
    read,
    isFinished: ({ recompute }) => recompute?.state !== 'running',
    show: ({ recompute }) =>
      progress.show({ text: recompute ? `Computed ${recompute.done} of ${pluralize(recompute.total, 'user')}` : '' }),
    progress,
    errorContext,
  });
}

export function printUnfinished(print: Printer, { recompute }: Recomputed): void {
  if (recompute?.state === 'running')
    print.line(`Computed ${recompute.done} of ${pluralize(recompute.total, 'user')}. It continues in the background.`);
}
