import { setTimeout as sleep } from 'node:timers/promises';
import type { Watch } from '../../directory/import/import-options.ts';
import { QueuedEventsError } from '../../directory/import/import-polis.ts';
import type { DirectoryReport, ImportReport } from '../../directory/import/report.ts';
import { AppError, StartupError } from '../../errors.ts';
import { CommandError, exitCodes } from '../errors.ts';
import { pluralize } from '../output/format.ts';
import type { Printer } from '../output/printer.ts';
import type { Progress } from '../output/progress.ts';
import { describeTotals } from './print-report.ts';

interface FollowDeps {
  importOnce(watch: Watch): Promise<ImportReport>;
  progress: Progress;
  print: Printer;
}

const pauseMs = 2_000;

const pause = (signal: AbortSignal) => sleep(pauseMs, undefined, { signal }).catch(() => undefined);

/**
 * Repeats the import of what has changed until a signal, and compares everything once more at
 * the end. A second signal ends what that waits for.
 */
export async function followPolis({ importOnce, progress, print }: FollowDeps): Promise<ImportReport> {
  const seen = new Set<string>();
  const first = await importOnce({ round: 'first', seen });
  const [stopping, ending] = [new AbortController(), new AbortController()];
  const stop = () => (stopping.signal.aborted ? ending : stopping).abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  try {
    progress.end();
    print.note(`Imported ${describeTotals(first.totals)}. Following Polis; press Ctrl-C after it has stopped, for the last comparison.`);
    const note = createNotes(print);
    for (;;) {
      await pause(stopping.signal);
      if (stopping.signal.aborted) break;
      const report = await importOnce({ round: 'next', seen }).catch((error: unknown) => note(outage, describeOutage(error)));
      for (const directory of report?.directories ?? []) note(directory.id || directory.reason!, describeChange(directory));
      if (report) note(outage, undefined);
    }
    for (;;) {
      const report = await importOnce({ round: 'last', seen }).catch((error: unknown) => note(delay, describeDelay(error)));
      if (report) return report;
      await pause(ending.signal);
      if (ending.signal.aborted) throw new CommandError(exitCodes.failed, notCompared);
    }
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
  }
}

const [outage, delay] = ['outage', 'delay'];
const notCompared =
  'The last comparison was not made: run the import again with --deliver-queued, before you route the address to Rollcall. Check each directory that it reports as no longer in Polis, because it may have been deleted there since the last round.';

/** Prints a sentence about a topic, unless it is the last one that was printed about it. */
function createNotes(print: Printer) {
  const last = new Map<string, string>();
  return (topic: string, sentence: string | undefined): undefined => {
    if (sentence !== undefined && sentence !== last.get(topic)) print.note(sentence);
    if (sentence === undefined) last.delete(topic);
    else last.set(topic, sentence);
  };
}

/** Polis or Rollcall may restart in the meantime, so an outage does not end the command. */
function describeOutage(error: unknown): string {
  if (!(error instanceof AppError || error instanceof StartupError)) throw error;
  return error.message;
}

/** Ending here would forget what was seen, by which deleted directories are recognized. So an outage is waited for, as the queue is. */
function describeDelay(error: unknown): string {
  if (error instanceof QueuedEventsError) return error.message;
  const isOutage = error instanceof StartupError || (error instanceof AppError && error.code === 'unavailable');
  if (!isOutage) throw error;
  return `${error.message} The last comparison is tried again; press Ctrl-C to end without it.`;
}

function describeChange({ tenant, product, status, reason, changed }: DirectoryReport): string | undefined {
  const { users, groups, memberships } = changed;
  const name = `${tenant}/${product}`;
  if (status === 'imported')
    return `${name}: ${pluralize(users, 'user')}, ${pluralize(groups, 'group')} and ${pluralize(memberships, 'membership')} changed.`;
  if (status === 'deleted') return `${name}: deleted, as in Polis.`;
  return reason === undefined ? undefined : `${name}: ${reason}`;
}
