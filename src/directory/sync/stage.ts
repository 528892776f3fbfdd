import { checkSizes } from './check-sizes.ts';
import type { SyncStore, Staged } from './ports.ts';
import { ProviderError, type HostedGroup, type HostedPage, type HostedSource, type HostedUser } from './provider.ts';
import type { SyncPosition } from './run.ts';

export interface StepRun {
  /** Told where to go on, should this step end here. */
  beat(position: SyncPosition): void;
  signal: AbortSignal;
  budgetMs: number;
  now?: () => number;
}

export interface Staging {
  store: SyncStore;
  source: HostedSource;
  directoryId: string;
  runId: string;
}

type StagedStep = Promise<SyncPosition | 'ended'>;

const groupsAtOnce = 32;
const listsAtOnce = 4;

export const stageUsers = ({ store, source, directoryId, runId }: Staging, pageToken: string | undefined, run: StepRun): StagedStep =>
  stageList({ list: source.listUsers, stage: (page) => store.stageUsers(directoryId, runId, page), phase: 'users', pageToken, run });

export const stageGroups = ({ store, source, directoryId, runId }: Staging, pageToken: string | undefined, run: StepRun): StagedStep =>
  stageList({ list: source.listGroups, stage: (page) => store.stageGroups(directoryId, runId, page), phase: 'groups', pageToken, run });

interface Listing<Item extends HostedUser | HostedGroup> {
  list(request: { pageToken?: string | undefined; signal: AbortSignal }): Promise<HostedPage<Item>>;
  stage(page: HostedPage<Item>): Promise<Staged>;
  phase: 'users' | 'groups';
  pageToken: string | undefined;
  run: StepRun;
}

/** A page is kept before the next one is asked for. */
async function stageList<Item extends HostedUser | HostedGroup>({ list, stage, phase, pageToken, run }: Listing<Item>): StagedStep {
  const { beat, signal, budgetMs, now = Date.now } = run;
  const until = now() + budgetMs;
  let next = pageToken;
  do {
    const page = await startingAnew(next, (token) => list({ pageToken: token, signal }));
    checkSizes(page.items);
    if ((await stage(page)) === 'stopped') return 'ended';
    next = page.nextPageToken;
    if (next === undefined) return { phase: phase === 'users' ? 'groups' : 'members' };
    beat({ phase, pageToken: next });
  } while (now() < until && !signal.aborted);
  return { phase, pageToken: next };
}

/** Several groups at once, each page by page. */
export async function stageMembers(
  { store, source, directoryId, runId }: Staging,
  position: Extract<SyncPosition, { phase: 'members' }>,
  { beat, signal, budgetMs, now = Date.now }: StepRun,
): StagedStep {
  const until = now() + budgetMs;
  const isOver = () => now() >= until || signal.aborted;
  let { after = '' } = position;
  let open: Record<string, string | null> = { ...position.open };
  let isStopped = false;

  while (!isOver()) {
    const groups = await store.groupsAfter(directoryId, runId, after, groupsAtOnce);
    const last = groups.at(-1);
    if (last === undefined) return { phase: 'comparing' };
    await inLanes(groups, stageGroup);
    if (isStopped) return 'ended';
    if (groups.some((group) => open[group] !== null)) break;
    after = last;
    open = {};
    beat({ phase: 'members', after });
  }
  return { phase: 'members', after, open };

  async function stageGroup(group: string): Promise<void> {
    while (open[group] !== null && !isStopped && !isOver()) {
      const page = await startingAnew(open[group] ?? undefined, (pageToken) => source.listMembers(group, { pageToken, signal })).catch(
        (error: unknown) => (error instanceof ProviderError && error.kind === 'not_found' ? 'gone' : Promise.reject(error as Error)),
      );
      if (page === 'gone') {
        await store.stageGone(directoryId, runId, group);
        open[group] = null;
        return;
      }
      checkSizes(page.items);
      const externalIds = page.items.map(({ externalId }) => externalId);
      isStopped ||= (await store.stageMembers(directoryId, runId, group, externalIds)) === 'stopped';
      open[group] = page.nextPageToken ?? null;
      beat({ phase: 'members', after, open: { ...open } });
    }
  }
}

/** A token that is too old is worth nothing; what was staged already is staged again. */
async function startingAnew<Page>(pageToken: string | undefined, list: (pageToken: string | undefined) => Promise<Page>): Promise<Page> {
  try {
    return await list(pageToken);
  } catch (error) {
    if (pageToken === undefined || !(error instanceof ProviderError) || error.kind !== 'page_expired') throw error;
    return list(undefined);
  }
}

/** All lanes come to rest before a failure is told: nothing is to go on behind its caller's back. */
async function inLanes(items: string[], work: (item: string) => Promise<void>): Promise<void> {
  const waiting = [...items];
  let failed = false;
  const lane = async () => {
    for (let item = waiting.shift(); item !== undefined && !failed; item = waiting.shift()) {
      await work(item).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: listsAtOnce }, lane));
  const failure = ended.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
}
