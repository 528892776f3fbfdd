import type { Knex } from 'knex';
import type { Mutation } from '../../directory/changes/mutation.ts';
import type { StagedMutationStore } from '../../directory/ports.ts';
import type { Keyring } from '../../keyring.ts';
import { createYieldToEventLoop } from '../../shared/yield-to-event-loop.ts';

interface StagedRow {
  directory_id: string;
  id: string;
  sealed: Buffer;
}

interface StagedMutationStoreOptions {
  /** A single mutation may exceed it. */
  maxBytesPerDirectory?: number;
}

export function createStagedMutationStore(
  db: Knex,
  keyring: Keyring,
  { maxBytesPerDirectory: maxBytes = 67_108_864 }: StagedMutationStoreOptions = {},
): StagedMutationStore {
  return {
    async put(mutation, written = JSON.stringify(mutation)) {
      const { id, directoryId, kind: mutationKind } = mutation;
      const sealed = keyring.seal(Buffer.from(written), stagedContext(mutation));
      // A deleted directory stages nothing. Applying the mutation then reports that the directory is gone.
      const { rows } = await db.raw<{ rows: { is_full: boolean }[] }>(
        `with directory as (select id from directories where id = :directoryId),
           used as (select coalesce(sum(octet_length(sealed)), 0) as bytes from staged_mutations where directory_id = :directoryId),
           added as (
             insert into staged_mutations (directory_id, id, sealed)
             select directory.id, :id, :sealed from directory, used where used.bytes = 0 or used.bytes + :bytes <= :maxBytes returning id)
         select exists (select from directory) and not exists (select from added) as is_full`,
        { id, directoryId, sealed, bytes: sealed.length, maxBytes },
      );
      if (rows[0]!.is_full)
        return {
          kind: 'full',
          message: `The large changes of a directory that are submitted and not applied yet may have at most ${maxBytes} bytes together (four times INTAKE_WAITING_BYTES_PER_DIRECTORY); try again.`,
        };
      const resourceId = 'resourceId' in mutation ? { resourceId: mutation.resourceId } : {};
      return { kind: 'staged', mutationKind, bytes: Buffer.byteLength(written), id, directoryId, ...resourceId };
    },

    async fetch({ id, directoryId }) {
      const row = await db<StagedRow>('staged_mutations').where({ directory_id: directoryId, id }).first();
      // It was dropped because it was applied long ago. Its recorded outcome takes precedence over this empty mutation.
      if (!row) return { id, directoryId, kind: 'bulk', operations: [], isLost: true };
      // Each step takes tens of milliseconds for a large mutation, so other work runs in between.
      const pause = createYieldToEventLoop();
      const written = keyring.open(row.sealed, stagedContext({ directoryId, id }));
      await pause();
      const mutation = JSON.parse(written.toString()) as Mutation;
      await pause();
      return mutation;
    },

    async delete({ id, directoryId }) {
      await db('staged_mutations').where({ directory_id: directoryId, id }).delete();
    },

    async deleteAbandoned(limit) {
      const { rowCount } = await db.raw<{ rowCount: number }>(
        `delete from staged_mutations where (directory_id, id) in (
           select directory_id, id from staged_mutations where created_at < now() - interval '1 day' order by created_at limit ?)`,
        [limit],
      );
      return rowCount;
    },
  };
}

export const stagedContext = ({ directoryId, id }: { directoryId: string; id: string }): string =>
  `directory:${directoryId}:mutation:${id}`;
