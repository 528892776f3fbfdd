import type { Knex } from 'knex';
import { UnstorableError } from '../../directory/import/ports.ts';
import { describeLimit, limitOf, type Quotas } from '../../directory/quotas.ts';
import { eventTotals, toUndeliveredBytes, type EventTotalsRow } from '../directories/quotas.ts';
import { documentBytes } from '../resources/document-bytes.ts';

/** The size of an event without its documents. */
const bytesPerEvent = 200;

/**
 * Fails if the events of `import_changes` would exceed the limit of undelivered bytes.
 * Each membership event contains the user and the group.
 */
export async function assertAnnounceable(trx: Knex, directoryId: string, limits: Quotas): Promise<void> {
  const { rows } = await trx.raw<{ rows: [EventTotalsRow & { bytes: number }] }>(
    `with user_sizes as materialized (${sizesOf('users')}), group_sizes as materialized (${sizesOf('groups')})
     select ${eventTotals}, (
       select cast(coalesce(sum(${bytesPerEvent} + case c.kind when 'users' then u.bytes when 'groups' then g.bytes else u.bytes + of.bytes end), 0) as float8)
       from import_changes c left join user_sizes u on c.kind <> 'groups' and u.id = c.id left join group_sizes g on c.kind = 'groups' and g.id = c.id
         left join group_sizes of on of.id = c.group_id
     ) as bytes
     from all_directories d left join webhook_endpoints e on e.directory_id = d.id where d.id = :directoryId`,
    { directoryId },
  );
  const bytes = Math.round(toUndeliveredBytes(rows[0]) + rows[0].bytes);
  const quotas = { limits, own: {} };
  if (bytes > limitOf(quotas, 'undeliveredBytes'))
    throw new UnstorableError(
      `Its events would have ${bytes} bytes, and a directory may have ${describeLimit(quotas, 'undeliveredBytes')}: raise the limit first, or import without --announce.`,
    );
}

/** SQL of the sizes of staged rows, and of stored rows that were not staged. */
const sizesOf = (table: 'users' | 'groups') =>
  `select id, bytes from import_${table} union all
   select id, ${documentBytes} from ${table} r where directory_id = :directoryId and not exists (select from import_${table} s where s.id = r.id)
     and id in (select id from import_changes union all select group_id from import_changes)`;
