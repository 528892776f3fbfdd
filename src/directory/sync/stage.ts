import type { SyncStore, Staged } from './ports.ts';
import type { ProviderGroup, ProviderPage, DirectorySource, ProviderUser } from './provider.ts';
import type { SyncPosition } from './run.ts';
import { createRestartingList } from './restarting-list.ts';
import { checkSizes } from './check-plan.ts';

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

export const stageUsers = ({ store, source, directoryId, runId }: Staging, position: ListPosition, run: StepRun): StagedStep =>
  stageList({ list: source.listUsers, stage: (page) => store.stageUsers(directoryId, runId, page), phase: 'users', position, run });

export const stageGroups = ({ store, source, directoryId, runId }: Staging, position: ListPosition, run: StepRun): StagedStep =>
  stageList({ list: source.listGroups, stage: (page) => store.stageGroups(directoryId, runId, page), phase: 'groups', position, run });

type ListPosition = Extract<SyncPosition, { phase: 'users' | 'groups' }>;

const maxRestarts = 3;

interface Listing<Item extends ProviderUser | ProviderGroup> {
  list(request: { pageToken?: string | undefined; signal: AbortSignal }): Promise<ProviderPage<Item>>;
  stage(page: ProviderPage<Item>): Promise<Staged>;
  phase: 'users' | 'groups';
  position: ListPosition;
  run: StepRun;
}

/** Stores a page before it requests the next one. */
async function stageList<Item extends ProviderUser | ProviderGroup>({ list, stage, phase, position, run }: Listing<Item>): StagedStep {
  const { beat, signal, budgetMs, now = Date.now } = run;
  const until = now() + budgetMs;
  const restarting = createRestartingList({ ...position, atMost: maxRestarts });
  let { pageToken: next, earlier } = position;
  const here = () => ({ phase, pageToken: next, earlier, ...restarting.counts() });
  do {
    const read = await restarting.list(next, earlier, (pageToken) => list({ pageToken, signal }));
    checkSizes(read.page.items);
    const staged = await stage(read.page);
    if (staged === 'stopped') return 'ended';
    // The next step ends the run.
    if (staged === 'full') return here();
    next = read.page.nextPageToken;
    earlier = read.earlier;
    if (next === undefined) return { phase: phase === 'users' ? 'groups' : 'members' };
    beat(here());
  } while (now() < until && !signal.aborted);
  return here();
}
