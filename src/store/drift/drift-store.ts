import type { Knex } from 'knex';
import type { DriftStore, ReconciledRange, ReconciledType, StoredItem } from '../../directory/drift/reconcile.ts';
import type { InactiveUsers } from '../../directory/directories/directory.ts';
import { type Hiding, toHiding } from '../../directory/directories/hiding.ts';
import { isMemberShown, isUserShown, toHidingBindings } from '../users/is-shown.ts';
import { hasForeignKeySql } from '../migrations/025-imported-in-order.ts';
import type { RunRead } from '../sql/run-read.ts';
import { publicIdOf, publicIdOfMember } from '../resources/public-id.ts';

/** SQL of the hash that `docs/guides/mirror.md` documents: SHA-256 of the fields, one per line. */
const hashOf = (...columns: string[]) => `encode(sha256(convert_to(concat_ws(chr(10), ${columns.join(', ')}), 'UTF8')), 'hex')`;

interface Source {
  table: 'users' | 'groups' | 'group_members';
  key: 'id' | 'member_id';
  id: string;
  hash: string;
  condition: string;
  /** An additional condition where `inactive_users` is `delete`. */
  shown?: string;
}

const sources: Record<ReconciledType, Source> = {
  users: {
    table: 'users',
    key: 'id',
    id: publicIdOf('r'),
    hash: hashOf(publicIdOf('r'), 'r.email', 'r.first_name', 'r.last_name', `case when r.active then 'true' else 'false' end`),
    condition: 'true',
    shown: isUserShown('r'),
  },
  groups: { table: 'groups', key: 'id', id: publicIdOf('r'), hash: hashOf(publicIdOf('r'), 'r.display_name'), condition: 'true' },
  members: {
    table: 'group_members',
    key: 'member_id',
    id: publicIdOfMember('r'),
    hash: 'null',
    condition: `r.group_id = cast(:groupKey as uuid) and r.kind = 'user'`,
    shown: isMemberShown('r'),
  },
};

export const createDriftStore = ({ runRead }: { runRead: RunRead }): DriftStore => ({
  async readRange(range, signal) {
    const read = { cost: 'page', directoryId: range.directoryId, signal, isBounded: true } as const;
    return runRead(read, async (db) => {
      const found = await findDirectory(db, range);
      return found && readRange(db, { ...range, hiding: toHiding(found.inactive_users, found.inactive_users_upto) });
    });
  },
});

interface HidingRow {
  inactive_users: InactiveUsers;
  inactive_users_upto: string | null;
}

/** Also undefined if the group of the range does not exist. */
async function findDirectory(db: Knex, { directoryId, groupKey }: ReconciledRange): Promise<HidingRow | undefined> {
  const directory = await db('directories')
    .where({ id: directoryId })
    .first<HidingRow | undefined>('inactive_users', 'inactive_users_upto');
  if (!directory || groupKey === undefined) return directory;
  const group = await db('groups').where({ directory_id: directoryId, id: groupKey }).first<object | undefined>('id');
  return group && directory;
}

/**
 * UUIDs are ordered as their text, so the primary key serves a range of them. Imported IDs are few, or all of a directory: they are compared one
 * by one, with the index that holds only these.
 */
async function readRange(db: Knex, range: ReconciledRange & { hiding: Hiding | undefined }): Promise<StoredItem[]> {
  const { type, directoryId, groupKey, after, until, withHashes, limit, hiding } = range;
  const { table, key, id, hash, condition: baseCondition, shown } = sources[type];
  // Events do the same: where `inactive_users` is `delete`, the application has no inactive users.
  const condition = hiding && shown ? `${baseCondition} and ${shown}` : baseCondition;
  const isDerived = `substr(cast(r.${key} as text), 15, 1) = '8'`;
  const inRange = `${id} collate "C" > :after ${until === undefined ? '' : `and ${id} collate "C" <= :until`}`;
  const columns = `${id} collate "C" as id, ${withHashes ? hash : 'null'} as hash`;
  const { rows } = await db.raw<{ rows: StoredItem[] }>(
    `select * from (
       (select ${columns} from ${table} r where r.directory_id = :directoryId and ${condition} and not ${isDerived}
          and r.${key} between cast(:lowest as uuid) and cast(:highest as uuid) and ${inRange}
        order by r.directory_id, ${table === 'group_members' ? 'r.group_id, ' : ''}r.${key} limit :limit)
       union all
       (select ${columns} from ${table} r where r.directory_id = :directoryId and ${condition} and ${hasForeignKeySql(`r.${key}`)} and ${isDerived}
          and ${inRange} order by 1 limit :limit)
     ) found order by id collate "C" limit :limit`,
    {
      directoryId,
      ...(hiding && toHidingBindings(hiding)),
      ...(groupKey !== undefined && { groupKey }),
      after,
      ...(until !== undefined && { until }),
      lowest: toBound(after, '0'),
      highest: until === undefined ? toBound('', 'f') : toBound(until, 'f'),
      limit,
    },
  );
  return rows;
}

/** The lowest or highest UUID that begins as the text does. */
function toBound(text: string, filler: '0' | 'f'): string {
  const form = 'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx';
  let length = 0;
  while (length < form.length && (form[length] === '-' ? text[length] === '-' : /^[\da-f]$/.test(text[length] ?? ''))) length += 1;
  return text.slice(0, length) + form.slice(length).replaceAll('x', filler);
}
