import type { MembersPage, Staged, StagedResource, SyncStore } from './ports.ts';
import { type DirectorySource, ProviderError, type ProviderPage, type ProviderUser } from './provider.ts';
import type { SyncDirectory, SyncPosition } from './sync-run.ts';
import { type EarlierToken, createRestartingList } from './restarting-list.ts';
import { checkSizes } from './check-plan.ts';
import { comparePushed } from '../../scim/pushed.ts';

export interface StepRun {
  /** Reports where to continue if this step ends here. */
  beat(position: SyncPosition): void;
  signal: AbortSignal;
  budgetMs: number;
  now?: () => number;
}

interface Staging extends Pick<SyncDirectory, 'links'> {
  store: SyncStore;
  source: DirectorySource;
  directoryId: string;
  runId: string;
  account: string;
  isIncremental: boolean;
}

type StagedStep = Promise<SyncPosition | 'ended'>;

export function stageUsers(staging: Staging, position: ListPosition, run: StepRun): StagedStep {
  const { store, source, directoryId, runId } = staging;
  return stageList({
    ...staging,
    list: source.listUsers,
    async stage(page) {
      const staged = await store.stageUsers(directoryId, runId, page);
      return staged === 'staged' ? stageGroupsOf(staging, 'users', page.items, run) : staged;
    },
    phase: 'users',
    position,
    run,
  });
}

export function stageGroups(staging: Staging, position: ListPosition, run: StepRun): StagedStep {
  const { store, source, directoryId, runId } = staging;
  return stageList({
    ...staging,
    list: source.listGroups,
    async stage(page) {
      const staged = await store.stageGroups(directoryId, runId, page);
      return staged === 'staged' ? stageGroupsOf(staging, 'groups', page.items, run) : staged;
    },
    phase: 'groups',
    position,
    run,
  });
}

/** A provider reports a restored user or group, but not always the groups that it is a member of again. */
async function stageGroupsOf(
  { store, source, directoryId, runId, isIncremental }: Staging,
  kind: 'users' | 'groups',
  items: StagedResource[],
  { signal }: StepRun,
): Promise<Staged> {
  if (!isIncremental || !source.listGroupsOf || items.length === 0) return 'staged';
  const ids = items.map(({ externalId }) => externalId);
  const unknown = await store.findUnknown(directoryId, kind, ids);
  if (unknown.length === 0) return 'staged';
  const groups = await source.listGroupsOf(unknown, { kind, signal });
  checkSizes(groups);
  if (groups.length === 0) return 'staged';
  return store.stageGroups(directoryId, runId, { items: groups.map(toStaged) }, kind === 'users' ? kind : undefined);
}

type ListPosition = Extract<SyncPosition, { phase: 'users' | 'groups' }>;

const maxRestarts = 3;

interface Listing extends Staging {
  list: DirectorySource['listUsers'];
  stage(page: ProviderPage<StagedResource>): Promise<Staged>;
  phase: 'users' | 'groups';
  position: ListPosition;
  run: StepRun;
}

/** Stores a page before it requests the next one. */
async function stageList({ list, stage, phase, position, run, ...staging }: Listing): StagedStep {
  const { store, directoryId, runId, account, isIncremental, links } = staging;
  const { beat, signal, budgetMs, now = Date.now } = run;
  const until = now() + budgetMs;
  const restarting = createRestartingList({ ...position, atMost: maxRestarts });
  let { pageToken: next = isIncremental ? links?.[phase] : undefined, earlier } = position;
  const here = () => ({ phase, pageToken: next, earlier, ...restarting.counts() });
  const findStaged = (externalIds: string[]) => store.findStaged(directoryId, runId, phase, externalIds);
  do {
    const read = await restarting.list(next, earlier, (pageToken) => list({ pageToken, isIncremental, findStaged, signal }));
    checkSizes(read.page.items);
    const { removed = [], isUncertain = false, link } = read.page;
    if (isUncertain) await store.markUncertain(directoryId, runId);
    if (removed.length > 0) await store.stageRemoved(directoryId, runId, phase, removed);
    const staged = await stage({ ...read.page, items: read.page.items.map(toStaged) });
    if (staged === 'stopped') return 'ended';
    // The next step ends the run.
    if (staged === 'full') return here();
    next = read.page.nextPageToken;
    earlier = read.earlier;
    if (link !== undefined) await store.saveLink(directoryId, runId, phase, { account, link });
    if (next === undefined) return { phase: phase === 'users' ? 'groups' : 'members' };
    beat(here());
  } while (now() < until && !signal.aborted);
  return here();
}

const toStaged = ({ externalId, resource, raw = resource }: ProviderUser): StagedResource => ({
  externalId,
  resource,
  pushed: comparePushed(resource, raw),
});

const groupsPerRound = 32;
const pagesPerWrite = 16;
const concurrentGroups = 4;
/** For all groups together: after a long wait, the tokens of several may have expired. */
const maxMemberRestarts = 200;

type Progress = Record<string, string | null>;

/** Reads several groups concurrently, each page by page. Pages are stored together while others are read. */
export async function stageMembers(
  { store, source, directoryId, runId }: Staging,
  position: Extract<SyncPosition, { phase: 'members' }>,
  { beat, signal, budgetMs, now = Date.now }: StepRun,
): StagedStep {
  const until = now() + budgetMs;
  const isOver = () => now() >= until || signal.aborted || writer.isOver();
  let { after = '' } = position;
  /** How far each group is stored, and how far it is read. */
  let open: Progress = { ...position.open };
  let read: Progress = { ...open };
  let openEarlier: Record<string, EarlierToken | undefined> = { ...position.earlier };
  let readEarlier = { ...openEarlier };
  const writer = createPageWriter({
    write: (pages) => store.stageMembers(directoryId, runId, pages),
    onStored(pages) {
      for (const { group, next, earlier } of pages) {
        open[group] = next;
        openEarlier[group] = earlier;
      }
      beat(here());
    },
  });
  const restarting = createRestartingList({ ...position, atMost: maxMemberRestarts });
  const here = (): SyncPosition => ({
    phase: 'members',
    after,
    open: { ...open },
    earlier: Object.fromEntries(Object.entries(openEarlier).flatMap(([group, token]) => (token ? [[group, token]] : []))),
    ...restarting.counts(),
  });

  while (!isOver()) {
    const groups = await store.groupsAfter(directoryId, runId, after, groupsPerRound);
    const last = groups.at(-1);
    if (last === undefined) return { phase: 'comparing' };
    await forEachConcurrently(groups, readGroup).finally(writer.flush);
    if (writer.isStopped()) return 'ended';
    if (groups.some((group) => open[group] !== null)) break;
    after = last;
    open = {};
    read = {};
    openEarlier = {};
    readEarlier = {};
    beat(here());
  }
  return here();

  async function readGroup(group: string): Promise<void> {
    while (read[group] !== null && !writer.isStopped() && !isOver()) {
      const listed = await restarting
        .list(read[group] ?? undefined, readEarlier[group], (pageToken) => source.listMembers(group, { pageToken, signal }))
        .catch((error: unknown) =>
          error instanceof ProviderError && error.kind === 'not_found' ? 'not_found' : Promise.reject(error as Error),
        );
      if (listed === 'not_found') {
        await store.markMembersUnknown(directoryId, runId, group);
        open[group] = null;
        read[group] = null;
        openEarlier[group] = undefined;
        return;
      }
      const { page, earlier } = listed;
      checkSizes(page.items);
      const next = page.nextPageToken ?? null;
      read[group] = next;
      readEarlier[group] = earlier;
      await writer.add({ group, externalIds: page.items.map(({ externalId }) => externalId), next, earlier });
    }
  }
}

interface ReadPage extends MembersPage {
  next: string | null;
  earlier: EarlierToken | undefined;
}

interface PageWriterDeps {
  write(pages: ReadPage[]): Promise<Staged>;
  onStored(pages: ReadPage[]): void;
}

/** One write at a time; pages added meanwhile are the next one. After a failure nothing more is stored, or a page would be missing. */
function createPageWriter({ write, onStored }: PageWriterDeps) {
  let pages: ReadPage[] = [];
  let writing: Promise<void> | undefined;
  let failure: unknown;
  let isStopped = false;
  /** The next step ends the run. */
  let isFull = false;

  return {
    isStopped: () => isStopped,
    isOver: () => isFull || failure !== undefined,
    /** Waits only if many pages are waiting. */
    async add(page: ReadPage): Promise<void> {
      pages.push(page);
      const written = writeSoon();
      if (pages.length >= pagesPerWrite) await written;
      else written.catch(() => undefined);
    },
    async flush(): Promise<void> {
      do await writeSoon();
      while (pages.length > 0 && !isStopped);
    },
  };

  function writeSoon(): Promise<void> {
    writing ??= writePages()
      .catch((error: unknown) => {
        failure = error;
        throw error;
      })
      .finally(() => {
        if (failure === undefined) writing = undefined;
      });
    return writing;
  }

  async function writePages(): Promise<void> {
    while (pages.length > 0 && !isStopped) {
      const batch = pages;
      pages = [];
      const staged = await write(batch);
      isStopped = staged === 'stopped';
      if (isStopped) return;
      isFull = staged === 'full';
      onStored(batch);
    }
  }
}

/** If one item fails, no other starts. It rejects once all that were started have ended. */
async function forEachConcurrently(items: string[], work: (item: string) => Promise<void>): Promise<void> {
  const waiting = [...items];
  let hasFailed = false;
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined && !hasFailed; item = waiting.shift()) {
      await work(item).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: concurrentGroups }, worker));
  const failure = ended.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
}
