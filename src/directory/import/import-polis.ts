import { AppError } from '../../errors.ts';
import { ScimError } from '../../scim/errors.ts';
import { pulledType } from '../directories/directory.ts';
import { toResourceKey } from '../resources/resource-ids.ts';
import { describeLimit, limitOf, type Quota, type Quotas } from '../quotas.ts';
import { checksumOf } from './checksum.ts';
import { formerDirectoryId } from '../directories/former-ids.ts';
import {
  readDirectory,
  readGroup,
  readMembership,
  readQueuedEvent,
  readUser,
  UnreadableRowError,
  type PolisDirectory,
} from './polis-records.ts';
import {
  kinds,
  UnstorableError,
  type ConflictPolicy,
  type Counts,
  type ImportRecord,
  type ImportTarget,
  type Kind,
  type PolisPlace,
  type PolisRow,
  type PolisSource,
  type QueuedEvent,
} from './ports.ts';
import { newDirectoryReport, noCounts, tally, toReport, type DirectoryReport, type ImportReport } from './report.ts';
import { toImportedGroup, toImportedUser, type ProviderRecords } from './to-resources.ts';

export interface ImportDeps {
  source: PolisSource;
  target: ImportTarget;
  quotas: Quotas;
  google: ProviderRecords;
  show(step: { text: string; done?: number; total?: number }): void;
}

export interface ImportOptions {
  tenant?: string | undefined;
  product?: string | undefined;
  isDryRun: boolean;
  onConflict: ConflictPolicy;
  announces: boolean;
  deliversQueued: boolean;
  /** Does not look for queued events. */
  ignoresQueue?: boolean;
  /** Reads only what has changed since the last import. */
  isFollowing?: boolean;
  /** The keys of directories that were seen in Polis while it was followed. One that is gone there is deleted here. */
  seen?: Set<string>;
}

/**
 * Imports each directory in one transaction, so that a crash leaves it as it was. Directories that were imported before are compared, and
 * only differences are written.
 */
export async function importPolis(deps: ImportDeps, options: ImportOptions): Promise<ImportReport> {
  const { source, target } = deps;
  const { places, reports, keys } = await listPlaces(deps, options);
  if (!options.ignoresQueue) await assertNothingQueued(source, places, options);
  const records = new Map<string, ImportRecord>();
  for (const place of places) records.set(place.id, await findRecord(target, place));
  for (const place of places) reports.push(await importDirectory(deps, place, records.get(place.id)!, options));
  // The directory whose row cannot be read may be any of them.
  if (reports.every(({ id }) => id !== '')) reports.push(...(await reportAbsent(deps, keys, options)));
  for (const key of keys) options.seen?.add(key);
  return toReport(source.name, options.isDryRun, reports);
}

const absent = 'It is no longer in Polis: delete it here if it is not needed.';

/** Another Polis may have the same address, so only what was seen there before is deleted. */
async function reportAbsent({ source, target }: ImportDeps, keys: Set<string>, options: ImportOptions): Promise<DirectoryReport[]> {
  const reports: DirectoryReport[] = [];
  for (const directory of await target.listImported(source.name)) {
    const { key } = directory;
    if (keys.has(key) || !isWanted(directory, options)) continue;
    const report = newDirectoryReport({ ...directory, warnings: [] });
    if (!options.seen?.has(key)) reports.push({ ...report, status: 'skipped', reason: absent });
    else if ((await target.remove(key, options)) === 'removed') reports.push({ ...report, status: 'deleted' });
    else reports.push({ ...report, status: 'skipped', reason: `${changedHere} ${absent}` });
  }
  return reports;
}

const isWanted = (one: { tenant: string; product: string }, { tenant, product }: ImportOptions): boolean =>
  (tenant === undefined || one.tenant === tenant) && (product === undefined || one.product === product);

/** Directories whose row cannot be read are reported, whatever their tenant: it is unknown. */
async function listPlaces({ source }: ImportDeps, options: ImportOptions) {
  const directories: PolisDirectory[] = [];
  const reports: DirectoryReport[] = [];
  for await (const rows of source.listDirectories())
    for (const row of rows)
      try {
        const directory = readDirectory(row);
        if (directories.some(({ key }) => key === directory.key)) throw new UnreadableRowError(row.key, 'another directory has its ID');
        directories.push(directory);
      } catch (error) {
        const report = newDirectoryReport({ id: '', tenant: '', product: '', warnings: [] });
        noteUnreadable(report, error);
        reports.push({ ...report, reason: (error as Error).message });
      }
  const ofOwner = new Map<string, PolisDirectory[]>();
  for (const directory of directories) {
    const owner = JSON.stringify([directory.tenant, directory.product]);
    ofOwner.set(owner, [...(ofOwner.get(owner) ?? []), directory]);
  }
  const places = [...ofOwner.values()].flatMap(toPlaces);
  return { places: places.filter((place) => isWanted(place, options)), reports, keys: new Set(directories.map(({ key }) => key)) };
}

function toPlaces(directories: PolisDirectory[]): PolisPlace[] {
  const owner = directories.length === 1 ? directories[0] : directories.find((one) => one.id === formerDirectoryId(one));
  const siblings = directories.map(({ id }) => id);
  return directories.map((one, index) => ({
    ...one,
    siblings,
    unindexed: one === owner ? 'own' : !owner && index === 0 ? 'report' : 'ignore',
  }));
}

async function assertNothingQueued(source: PolisSource, places: PolisPlace[], { deliversQueued }: ImportOptions): Promise<void> {
  if (deliversQueued) return;
  let queued = 0;
  for (const { id } of places) queued += await source.countQueued(id);
  if (queued > 0)
    throw new AppError(
      'invalid_request',
      `Polis has ${queued} undelivered ${queued === 1 ? 'event' : 'events'} in its queue: let it deliver them, or stop it and pass --deliver-queued so that Rollcall delivers them. Nothing was written.`,
    );
}

async function findRecord(target: ImportTarget, place: PolisPlace): Promise<ImportRecord> {
  const record = await target.record(place);
  if (record.state === 'foreign')
    throw new AppError(
      'invalid_request',
      `The directory ${place.id} exists here and was not imported from Polis: delete it, or leave it out with --tenant and --product. Nothing was written.`,
    );
  if (record.state === 'deleting')
    throw new AppError(
      'invalid_request',
      `The directory ${place.id} is being deleted here: try again in a few minutes. Nothing was written.`,
    );
  return record;
}

const nothingImported = 'Nothing of this directory was imported.';
const changedHere = 'It has been changed here since its import, so it was left as it is.';
/** Rows may be committed later than their time says. */
const overlapMs = 600_000;

async function importDirectory(
  deps: ImportDeps,
  place: PolisPlace,
  record: ImportRecord,
  options: ImportOptions,
): Promise<DirectoryReport> {
  if (record.state === 'changed') return { ...newDirectoryReport(place), status: 'skipped', reason: changedHere };
  try {
    return await importDifferences(deps, place, record, options);
  } catch (error) {
    if (!(error instanceof UnstorableError)) throw error;
    return { ...newDirectoryReport(place), reason: `${error.message} ${nothingImported}` };
  }
}

async function importDifferences(
  deps: ImportDeps,
  place: PolisPlace,
  record: ImportRecord,
  options: ImportOptions,
): Promise<DirectoryReport> {
  const { isFollowing = false } = options;
  if (isFollowing && record.state === 'imported' && record.lastModified && record.counts) {
    const since = new Date(record.lastModified.getTime() - overlapMs);
    const followed = await importRows(deps, place, record, { ...options, since });
    if (followed) return followed;
  }
  return (await importRows(deps, place, record, options))!;
}

/** With `since`, returns undefined if the changed rows alone do not explain the number of rows: something was deleted. */
async function importRows(
  deps: ImportDeps,
  place: PolisPlace,
  record: ImportRecord,
  options: ImportOptions & { since?: Date },
): Promise<DirectoryReport | undefined> {
  const { source, target } = deps;
  const { since, isDryRun } = options;
  const isPartial = since !== undefined;
  const report = newDirectoryReport(place);
  const fail = (reason: string): DirectoryReport => ({
    ...report,
    status: 'failed',
    reason: `${reason} ${nothingImported}`,
  });
  const counts = await source.count(place);
  const reading = createReading(deps, place, { counts, report, since });
  await target.begin();
  await target.stageUsers(reading.users());
  await target.stageGroups(reading.groups());
  await target.stageMemberships(reading.memberships());
  const queued = options.deliversQueued ? await reading.queued() : [];
  if (report.unreadable.length > 0) return fail(describeUnreadable(report.unreadable));
  const { orphans, elsewhere } = await target.dropOrphans(place, isPartial);
  report.orphans = orphans;
  report.conflicts = isPartial ? [] : await target.resolveConflicts(options.onConflict);
  const read = { ...reading.read, memberships: reading.read.memberships - elsewhere };
  Object.assign(report, tally(read, noCounts()));
  const unresolved = report.conflicts.filter(({ kept }) => kept === undefined).length;
  if (unresolved > 0)
    return fail(
      `${unresolved === 1 ? '1 conflict was found: correct it' : `${unresolved} conflicts were found: correct them`} in Polis, or choose with --on-conflict.`,
    );
  const staged = await target.staged();
  if (!isPartial) {
    const problem = findExceeded(deps.quotas, staged);
    if (problem) return fail(problem);
    Object.assign(report, tally(read, staged.counts));
  }
  if (isDryRun) return { ...report, status: 'planned', queued_events: queued.length };
  deps.show({ text: `Writing ${describePlace(place)}` });
  // Rows of a clock that is ahead would hide the changes of the others.
  const lastModified = earlier(latest([record.lastModified, reading.lastModified()]), new Date());
  const written = await target.write(place, { source: source.name, counts, lastModified, isPartial, announces: options.announces, queued });
  if (written === 'changed') return { ...report, status: 'skipped', reason: changedHere };
  if (written === 'conflict' || (isPartial && !explains(record.counts!, written.added, counts))) return undefined;
  const stored = await target.stored(place.key);
  const isChanged = record.state === 'absent' || kinds.some((kind) => written.changed[kind] > 0) || written.settings;
  return {
    ...report,
    ...(isPartial && tally(counts, stored.counts)),
    status: isChanged ? 'imported' : 'unchanged',
    changed: written.changed,
    queued_events: written.queued,
    ...(!isPartial && { checksums: { source: staged.checksums, target: stored.checksums } }),
  };
}

const explains = (before: Counts, added: Counts, now: Counts) => kinds.every((kind) => before[kind] + added[kind] === now[kind]);

const latest = (times: (Date | undefined)[]): Date | undefined =>
  times.reduce((last, time) => (time && (!last || time > last) ? time : last), undefined);

const earlier = (time: Date | undefined, limit: Date): Date | undefined => (time && time > limit ? limit : time);

const describePlace = ({ tenant, product }: PolisPlace) => `${tenant}/${product}`;

/** Reads the rows of a directory and turns them into what is stored. Rows that cannot be read are noted, and the reading goes on. */
function createReading(
  { source, google, show }: ImportDeps,
  place: PolisPlace,
  { counts, report, since }: { counts: Counts; report: DirectoryReport; since: Date | undefined },
) {
  const read = noCounts();
  let lastModified: Date | undefined;
  let incomplete = 0;
  const mapping = { provider: place.type === pulledType ? google : undefined, onIncomplete: () => void (incomplete += 1) };

  async function* convert<Result>(kind: Kind, toResult: (row: PolisRow) => Result): AsyncGenerator<Result[]> {
    const text = `Reading ${kind} of ${describePlace(place)}:`;
    for await (const rows of source.read(kind, place, since)) {
      const results: Result[] = [];
      for (const row of rows) {
        try {
          results.push(toResult(row));
          lastModified = latest([lastModified, row.modifiedAt ?? row.createdAt]);
        } catch (error) {
          noteUnreadable(report, error, row.key);
        }
      }
      read[kind] += rows.length;
      show({ text, done: read[kind], ...(!since && { total: Math.max(counts[kind], read[kind]) }) });
      yield results;
    }
    if (incomplete > 0)
      report.warnings.push(
        `${incomplete === 1 ? `1 ${kind.slice(0, -1)} has` : `${incomplete} ${kind} have`} attributes that SCIM does not allow. They are in raw, and not in SCIM responses.`,
      );
    incomplete = 0;
  }

  return {
    read,
    lastModified: () => lastModified,
    users: () => convert('users', (row) => toImportedUser(readUser(row), mapping)),
    groups: () => convert('groups', (row) => toImportedGroup(readGroup(row), mapping)),
    memberships: () =>
      convert('memberships', (row) => {
        const { groupId, userId } = readMembership(row);
        return { groupId: toResourceKey(groupId), memberId: toResourceKey(userId), checksum: checksumOf(groupId, userId) };
      }),
    async queued(): Promise<QueuedEvent[]> {
      const queued: QueuedEvent[] = [];
      for await (const rows of source.readQueued(place.id))
        for (const row of rows)
          try {
            queued.push(readQueuedEvent(row));
          } catch (error) {
            noteUnreadable(report, error, row.key);
          }
      return queued;
    },
  };
}

const maxNamed = 100;

function noteUnreadable({ unreadable }: DirectoryReport, error: unknown, ofRow = ''): void {
  const isExpected = error instanceof UnreadableRowError || error instanceof ScimError;
  if (!isExpected) throw error;
  const { key, problem } = error instanceof UnreadableRowError ? error : { key: ofRow, problem: error.details.detail.replace(/\.$/, '') };
  if (unreadable.length < maxNamed) unreadable.push({ key, problem });
}

function describeUnreadable(unreadable: DirectoryReport['unreadable']): string {
  const [first, ...others] = unreadable;
  const more = others.length === 0 ? '' : ` So can't ${others.length}${unreadable.length === maxNamed ? ' or more' : ''} others.`;
  return `${new UnreadableRowError(first!.key, first!.problem).message}${more}`;
}

/** Otherwise no push would be accepted afterwards. */
function findExceeded(
  limits: Quotas,
  { counts, largestGroup, resourceBytes }: Awaited<ReturnType<ImportTarget['staged']>>,
): string | undefined {
  const used: Partial<Record<Quota, number>> = { ...counts, groupMembers: largestGroup, resourceBytes };
  const quotas = { limits, own: {} };
  const exceeded = (Object.keys(used) as Quota[]).find((quota) => used[quota]! > limitOf(quotas, quota));
  return exceeded && `It has ${used[exceeded]}, and a directory may have ${describeLimit(quotas, exceeded)}: raise the limit first.`;
}
