import { checkSizes } from './check-sizes.ts';
import { inLanes } from './for-each-concurrently.ts';
import type { MembersPage } from './ports.ts';
import { ProviderError } from './provider.ts';
import type { SyncPosition } from './run.ts';
import type { StagedStep, Staging, StepRun } from './stage.ts';
import { createStartingAnew } from './restarting-list.ts';

const groupsAtOnce = 32;
const pagesAtOnce = 16;
/** Of all groups: after a long wait the tokens of several may be too old. */
const mostRestarts = 200;

type Progress = Record<string, string | null>;

/** Several groups at once, each page by page. What some pages said is kept together, while others are read. */
export async function stageMembers(
  { store, source, directoryId, runId }: Staging,
  position: Extract<SyncPosition, { phase: 'members' }>,
  { beat, signal, budgetMs, now = Date.now }: StepRun,
): StagedStep {
  const until = now() + budgetMs;
  const isOver = () => now() >= until || signal.aborted || failure !== undefined;
  let { after = '' } = position;
  /** How far groups are kept, and how far they are read. */
  let open: Progress = { ...position.open };
  let read: Progress = { ...open };
  let pages: (MembersPage & { next: string | null })[] = [];
  let keeping: Promise<void> | undefined;
  let failure: unknown;
  let isStopped = false;
  const anew = createStartingAnew({ restarts: position.restarts, atMost: mostRestarts });

  while (!isOver()) {
    const groups = await store.groupsAfter(directoryId, runId, after, groupsAtOnce);
    const last = groups.at(-1);
    if (last === undefined) return { phase: 'comparing' };
    await inLanes(groups, readGroup).finally(keepRest);
    if (isStopped) return 'ended';
    if (groups.some((group) => open[group] !== null)) break;
    after = last;
    open = {};
    read = {};
    beat({ phase: 'members', after, restarts: anew.restarts() });
  }
  return { phase: 'members', after, open, restarts: anew.restarts() };

  async function readGroup(group: string): Promise<void> {
    while (read[group] !== null && !isStopped && !isOver()) {
      const page = await anew
        .list(read[group] ?? undefined, (pageToken) => source.listMembers(group, { pageToken, signal }))
        .catch((error: unknown) =>
          error instanceof ProviderError && error.kind === 'not_found' ? 'gone' : Promise.reject(error as Error),
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
      const kept = keep();
      if (pages.length >= pagesAtOnce) await kept;
      else kept.catch(() => undefined);
    }
  }

  /** One lot after the other; what is read meanwhile is the next one. After a failure nothing more is kept: a page would lack in between. */
  function keep(): Promise<void> {
    keeping ??= keepPages()
      .catch((error: unknown) => {
        failure = error;
        throw error;
      })
      .finally(() => {
        if (failure === undefined) keeping = undefined;
      });
    return keeping;
  }

  async function keepRest(): Promise<void> {
    do await keep();
    while (pages.length > 0 && !isStopped);
  }

  async function keepPages(): Promise<void> {
    while (pages.length > 0 && !isStopped) {
      const kept = pages;
      pages = [];
      isStopped = (await store.stageMembers(directoryId, runId, kept)) === 'stopped';
      if (isStopped) return;
      for (const { group, next } of kept) open[group] = next;
      beat({ phase: 'members', after, open: { ...open }, restarts: anew.restarts() });
    }
  }
}
