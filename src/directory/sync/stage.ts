import { checkSizes } from './check-sizes.ts';
import type { SyncStore, Staged } from './ports.ts';
import type { ProviderGroup, ProviderPage, DirectorySource, ProviderUser } from './provider.ts';
import type { SyncPosition } from './run.ts';
import { createRestartingList } from './restarting-list.ts';

export interface StepRun {
  /** Reports where to continue if this step ends here. */
  beat(position: SyncPosition): void;
  signal: AbortSignal;
  budgetMs: number;
  now?: () => number;
}

export interface Staging {
  store: SyncStore;
  source: DirectorySource;
  directoryId: string;
  runId: string;
}

export type StagedStep = Promise<SyncPosition | 'ended'>;

export const stageUsers = (
  { store, source, directoryId, runId }: Staging,
  { pageToken, restarts }: ListPosition,
  run: StepRun,
): StagedStep =>
  stageList({
    list: source.listUsers,
    stage: (page) => store.stageUsers(directoryId, runId, page),
    phase: 'users',
    pageToken,
    restarts,
    run,
  });

export const stageGroups = (
  { store, source, directoryId, runId }: Staging,
  { pageToken, restarts }: ListPosition,
  run: StepRun,
): StagedStep =>
  stageList({
    list: source.listGroups,
    stage: (page) => store.stageGroups(directoryId, runId, page),
    phase: 'groups',
    pageToken,
    restarts,
    run,
  });

type ListPosition = Extract<SyncPosition, { phase: 'users' | 'groups' }>;

const maxRestarts = 3;

interface Listing<Item extends ProviderUser | ProviderGroup> {
  list(request: { pageToken?: string | undefined; signal: AbortSignal }): Promise<ProviderPage<Item>>;
  stage(page: ProviderPage<Item>): Promise<Staged>;
  phase: 'users' | 'groups';
  pageToken: string | undefined;
  restarts: number | undefined;
  run: StepRun;
}

/** Stores a page before it requests the next one. */
async function stageList<Item extends ProviderUser | ProviderGroup>({
  list,
  stage,
  phase,
  pageToken,
  restarts,
  run,
}: Listing<Item>): StagedStep {
  const { beat, signal, budgetMs, now = Date.now } = run;
  const until = now() + budgetMs;
  const restarting = createRestartingList({ restarts, atMost: maxRestarts });
  let next = pageToken;
  do {
    const page = await restarting.list(next, (token) => list({ pageToken: token, signal }));
    checkSizes(page.items);
    if ((await stage(page)) === 'stopped') return 'ended';
    next = page.nextPageToken;
    if (next === undefined) return { phase: phase === 'users' ? 'groups' : 'members' };
    beat({ phase, pageToken: next, restarts: restarting.restarts() });
  } while (now() < until && !signal.aborted);
  return { phase, pageToken: next, restarts: restarting.restarts() };
}
