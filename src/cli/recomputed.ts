import { Option } from 'commander';
import type { AttributeMapping, MappingPreview, Result, RolePreview, RoleTable } from '../client/index.ts';
import type { Context } from './connection.ts';
import { integerOption } from './options.ts';
import { pluralize } from './output/format.ts';
import type { Printer } from './output/printer.ts';
import { createProgress } from './output/progress.ts';
import { pollUntilFinished } from './poll-until-finished.ts';

/** What mappings and role tables share: after a change, all users of the directory are computed again, and a preview says for how many it matters. */
type Recomputed = Pick<AttributeMapping | RoleTable, 'recompute'>;

export const noWaitOption = () => new Option('--no-wait', 'do not wait until all users are computed');

export const samplesOption = () => integerOption('--limit <n>', 'how many users to show (default: 5)', { min: 1, max: 20 });

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

export function printWouldUpdate(print: Printer, preview: MappingPreview | RolePreview): void {
  const { checked, users, would_update: updates, is_partial: isPartial, estimated_updates: estimate } = preview;
  print.line(`Looked at ${checked} of ${pluralize(users, 'user')}: ${updates} would get a user.updated.`);
  if (isPartial) print.line(`If the others are like these, ${estimate} of all users would get one.`);
}
