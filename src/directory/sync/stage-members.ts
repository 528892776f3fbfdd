import { checkSizes } from './check-sizes.ts';
import { inLanes } from './in-lanes.ts';
import type { MembersPage } from './ports.ts';
import { ProviderError } from './provider.ts';
import type { SyncPosition } from './run.ts';
import type { StagedStep, Staging, StepRun } from './stage.ts';
import { startingAnew } from './starting-anew.ts';

const groupsAtOnce = 32;
const pagesAtOnce = 16;

type Progress = Record<string, string | null>;

/** Several groups at once, each page by page. What some pages said is kept together, while others are read. */
export async function stageMembers(
  { store, source, directoryId, runId }: Staging,
  position: Extract<SyncPosition, { phase: 'members' }>,
  { beat, signal, budgetMs, now = Date.now }: StepRun,
): StagedStep {
  const until = now() + budgetMs;
  const isOver = () => now() >= until || signal.aborted;
  let { after = '' } = position;
  /** How far groups are kept, and how far they are read. */
  let open: Progress = { ...position.open };
  let read: Progress = { ...open };
  let pages: (MembersPage & { next: string | null })[] = [];
  let keeping = Promise.resolve();
  let isStopped = false;

  while (!isOver()) {
    const groups = await store.groupsAfter(directoryId, runId, after, groupsAtOnce);
    const last = groups.at(-1);
    if (last === undefined) return { phase: 'comparing' };
    await inLanes(groups, readGroup).finally(keep);
    if (isStopped) return 'ended';
    if (groups.some((group) => open[group] !== null)) break;
    after = last;
    open = {};
    read = {};
    beat({ phase: 'members', after });
  }
  return { phase: 'members', after, open };

  async function readGroup(group: string): Promise<void> {
    while (read[group] !== null && !isStopped && !isOver()) {
      const page = await startingAnew(read[group] ?? undefined, (pageToken) => source.listMembers(group, { pageToken, signal })).catch(
        (error: unknown) => (error instanceof ProviderError && error.kind === 'not_found' ? 'gone' : Promise.reject(error as Error)),
      );
      if (page === 'gone') {
        await store.stageGone(directoryId, runId, group);
        open[group] = null;
        read[group] = null;
        return;
      }
      checkSizes(page.items);
      const next = page.nextPageToken ?? null;
      read[group] = next;
      pages.push({ group, externalIds: page.items.map(({ externalId }) => externalId), next });
      if (pages.length >= pagesAtOnce) await keep();
    }
  }

  /** One lot after the other. */
  function keep(): Promise<void> {
    keeping = keeping.then(async () => {
      const kept = pages;
      pages = [];
      if (kept.length === 0 || isStopped) return undefined;
      isStopped = (await store.stageMembers(directoryId, runId, kept)) === 'stopped';
      for (const { group, next } of kept) open[group] = next;
      beat({ phase: 'members', after, open: { ...open } });
      return undefined;
    });
    return keeping;
  }
}
