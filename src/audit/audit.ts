import type { Narrowing } from '../access/narrowing.ts';
import type { Directory } from '../directory/directories/directory.ts';
import { AppError } from '../errors.ts';
import type { Act, AuditAction } from './act.ts';
import { currentlyActing } from './audit-scope.ts';
import type { AuditFilter, AuditStore, ChainedEntry } from './ports.ts';
import { toTarget } from './to-entry.ts';

interface AuditDeps {
  store: AuditStore;
  now?: () => number;
}

export type Audit = ReturnType<typeof createAudit>;

const secretReadsPerMs = 3_600_000;
/** Directories of all actors, within an hour. */
const maxSecretReads = 50_000;
const targetsPerEntry = 100;
const entriesPerRead = 500;
export const maxExportedEntries = 1_000_000;
const maxExports = 2;

/** Reads the audit log, and records what has no transaction of its own. */
export function createAudit({ store, now = Date.now }: AuditDeps) {
  let secretReads = new Set<string>();
  let secretReadsSince = -Infinity;
  let exports = 0;

  return {
    record: (act: Act) => store.record(act),
    list: store.list,
    chain: store.chain,

    /**
     * Applications read directories, and setup links, all the time: this records the first read of a directory's secrets by an actor within
     * an hour, per process, before the secrets are returned. One entry of an actor stands for all that exceed the limit, so that an
     * application that lists very many directories again and again adds no more. Somebody who has signed in, and reads those of one
     * directory, wants to see them: that is recorded each time, and not taken for the application with the same key.
     */
    async recordSecretsRead(
      directories: Pick<Directory, 'id' | 'tenant' | 'product'>[],
      { action, targetOf }: { action: AuditAction; targetOf: typeof toTarget } = { action: 'directory.secrets_read', targetOf: toTarget },
    ): Promise<void> {
      if (now() - secretReadsSince >= secretReadsPerMs) [secretReads, secretReadsSince] = [new Set(), now()];
      const recorded = secretReads;
      const { actor, isSession } = currentlyActing();
      if (isSession && directories.length === 1) {
        await store.record({ action, targets: directories.map(targetOf) });
        return;
      }
      const reader = isSession ? `${actor.id} signed in` : actor.id;
      const toKey = ({ id }: { id: string }) => `${reader} ${id}`;
      const unrecorded = directories.filter((directory) => !recorded.has(toKey(directory)));
      const named = unrecorded.slice(0, Math.max(0, maxSecretReads - recorded.size));
      for (let first = 0; first < named.length; first += targetsPerEntry) {
        const some = named.slice(first, first + targetsPerEntry);
        await store.record({ action, targets: some.map(targetOf) });
        for (const directory of some) recorded.add(toKey(directory));
      }
      if (named.length === unrecorded.length || recorded.has(reader)) return;
      await store.record({ action, changes: { further_directories: true } });
      recorded.add(reader);
    },

    /** Yields the entries in pages, up to the newest one when it begins. `end` must be called when nothing reads any more. */
    async startExport(filter: AuditFilter, narrowed: Narrowing, signal: AbortSignal) {
      if (exports >= maxExports)
        throw new AppError(
          'unavailable',
          `A process runs at most ${maxExports} exports of the audit log at a time (fixed limit); try again.`,
        );
      exports += 1;
      try {
        await store.record({ action: 'audit_log.exported' });
        const { head } = await store.chain();
        return { pages: readPages(store, { filter, narrowed, upTo: head.position, signal }), end };
      } catch (error) {
        end();
        throw error;
      }
    },
  };

  function end(): void {
    exports -= 1;
  }
}

interface ExportRequest {
  filter: AuditFilter;
  narrowed: Narrowing;
  upTo: number;
  signal: AbortSignal;
}

async function* readPages(
  store: Pick<AuditStore, 'list'>,
  { filter, narrowed, upTo, signal }: ExportRequest,
): AsyncGenerator<ChainedEntry[]> {
  let after = 0;
  for (let left = maxExportedEntries; left > 0 && !signal.aborted;) {
    const found = await store.list(filter, narrowed, { order: 'asc', after, limit: Math.min(entriesPerRead, left) });
    const page = found.filter(({ position }) => position <= upTo);
    if (page.length > 0) yield page;
    if (page.length < entriesPerRead) return;
    after = page.at(-1)!.position;
    left -= page.length;
  }
}
