import { type Narrowing, isNarrowed } from '../../access/narrowing.ts';
import type { DeliveryLogStore, DeliveryOfDirectory, DeliveryStatus, RankedPosition } from '../../directory/delivery/delivery-log.ts';
import { publicDirectoryId } from '../../directory/directories/former-ids.ts';
import { mapPage, toContinuedPage } from '../../directory/page.ts';
import { pageCost } from '../resources/query-cost.ts';
import { toMicroseconds } from '../sql/microseconds.ts';
import type { ReadCost, RunRead } from '../sql/run-read.ts';
import { type DeliveryRow, columns, eventTypes, isAfter, toDelivery } from './delivery-rows.ts';

interface Row extends DeliveryRow {
  rank: 0 | 1;
  at: number;
  directory_name: string;
  tenant: string;
  product: string;
}

const key = 'b.id, b.directory_id, b.created_at, b.from_sequence';
const newestFirst = (row: string) => `${row}.created_at desc, ${row}.from_sequence desc, ${row}.id desc`;
const isFailed = `(b.status = 'exhausted' or (b.status = 'pending' and b.failures > 0))`;
/** Of these few are kept, and `webhook_batches_unusual` has them in the order of the list. */
const isUnusual = (status: DeliveryStatus): boolean => status !== 'pending' && status !== 'delivered';

/** Whose reads share a limit: those of all callers that are narrowed to the same, and those of all callers that are not narrowed. */
const toShare = ({ tenant, product, directoryId }: Narrowing): string => directoryId ?? JSON.stringify([tenant, product]);

/** Few directories, so that each is looked at. A product may have nearly all. */
const hasFewDirectories = ({ tenant, directoryId }: Narrowing): boolean => tenant !== undefined || directoryId !== undefined;

/** An index finds the pending deliveries, and unusual ones of all directories in the order of the list. */
const costOf = (owner: Narrowing, status: DeliveryStatus | undefined, offset: number, limit: number): ReadCost =>
  status === 'pending' || (status !== undefined && isUnusual(status) && !isNarrowed(owner)) ? pageCost({ offset, limit }) : 'search';

/**
 * Failed deliveries are the first rank, all others the second. Each part of the statement has an index: those that are pending have one for each
 * kind, and those that are neither pending nor delivered have one together. The others are read from those directories that have the newest:
 * one row of each directory is looked at, so such a read is a search.
 */
export const createListAcrossDirectories =
  (runRead: RunRead): DeliveryLogStore['listAcross'] =>
  async (owner, { status, callerNarrowedTo }, page) => {
    const after = 'after' in page ? page.after : undefined;
    const offset = 'offset' in page ? page.offset : 0;
    const parts = [
      ...(after?.rank === 1 ? [] : listFailed(owner, status, after)),
      ...listOthers(owner, status, after?.rank === 1 ? after : undefined),
    ];
    if (parts.length === 0) return { resources: [], next: undefined };
    const { rows } = await runRead(
      {
        cost: costOf(owner, status, offset, page.limit),
        directoryId: toShare(callerNarrowedTo),
        share: 'deliveries',
        hint: hasFewDirectories(owner) ? 'Use a lower limit or offset.' : 'Name a tenant and product, or use a lower limit or offset.',
      },
      (reading) =>
        reading.raw<{ rows: Row[] }>(
          `with keys as (
             select * from (${parts.join(' union all ')}) k order by k.rank, ${newestFirst('k')} offset :offset limit cast(:limit as bigint) + 1
           )
           select k.rank, ${columns.map((column) => `webhook_batches.${column}`).join(', ')}, ${eventTypes},
             ${toMicroseconds('webhook_batches.created_at')} as at, d.name as directory_name, d.tenant, d.product
           from keys k join webhook_batches on webhook_batches.directory_id = k.directory_id and webhook_batches.id = k.id
             join directories d on d.id = k.directory_id
           order by k.rank, ${newestFirst('webhook_batches')}`,
          { ...owner, ...after, offset, limit: page.limit },
        ),
    );
    return mapPage(
      toContinuedPage(rows, page.limit, ({ rank, at, from_sequence: sequence, id }) => ({ rank, at, sequence, id })),
      toDeliveryOfDirectory,
    );
  };

const ofOwner = ({ tenant, product, directoryId }: Narrowing): string =>
  [
    'true',
    ...(tenant === undefined ? [] : ['d.tenant = :tenant']),
    ...(product === undefined ? [] : ['d.product = :product']),
    ...(directoryId === undefined ? [] : ['d.id = :directoryId']),
  ].join(' and ');

/** Rows that an index has in a few places. Directories that are being deleted are hidden by the view. */
const list = (rank: 0 | 1, owner: Narrowing, condition: string, after: RankedPosition | undefined) =>
  `(select cast(${rank} as int) as rank, ${key} from webhook_batches b
    where ${condition} and b.directory_id in (select d.id from directories d where ${ofOwner(owner)})${after ? ` and ${isAfter('b')}` : ''}
    order by ${newestFirst('b')} limit cast(:offset as bigint) + :limit + 1)`;

/** Of few directories: from their own rows, however many of others the index has. */
const listUnusual = (rank: 0 | 1, owner: Narrowing, status: DeliveryStatus, after: RankedPosition | undefined) =>
  hasFewDirectories(owner)
    ? `(select cast(${rank} as int) as rank, ${key} from directories d cross join lateral (
          select ${key} from webhook_batches b where b.directory_id = d.id and b.status = '${status}'${after ? ` and ${isAfter('b')}` : ''}
          order by ${newestFirst('b')} limit cast(:offset as bigint) + :limit + 1
        ) b where ${ofOwner(owner)} order by ${newestFirst('b')} limit cast(:offset as bigint) + :limit + 1)`
    : list(rank, owner, `b.status = '${status}'`, after);

const pending = (condition: string) => ['live', 'replay'].map((kind) => `b.status = 'pending' and b.kind = '${kind}' and ${condition}`);

function listFailed(owner: Narrowing, status: DeliveryStatus | undefined, after: RankedPosition | undefined): string[] {
  const conditions = status === undefined || status === 'pending' ? pending('b.failures > 0') : [];
  return [
    ...(status === undefined || status === 'exhausted' ? [listUnusual(0, owner, 'exhausted', after)] : []),
    ...conditions.map((condition) => list(0, owner, condition, after)),
  ];
}

function listOthers(owner: Narrowing, status: DeliveryStatus | undefined, after: RankedPosition | undefined): string[] {
  if (status === 'exhausted') return [];
  if (status === 'pending') return pending('b.failures = 0').map((condition) => list(1, owner, condition, after));
  if (status !== undefined && isUnusual(status)) return [listUnusual(1, owner, status, after)];
  const condition = `${status === undefined ? `not ${isFailed}` : `b.status = '${status}'`}${after ? ` and ${isAfter('b')}` : ''}`;
  // As many directories as rows are wanted: each of them has at least one.
  return [
    `(select cast(1 as int) as rank, ${key} from (
        select d.id from directories d cross join lateral (
          select ${key} from webhook_batches b where b.directory_id = d.id and ${condition} order by ${newestFirst('b')} limit 1
        ) newest where ${ofOwner(owner)}
        order by ${newestFirst('newest')} limit cast(:offset as bigint) + :limit + 1
      ) d cross join lateral (
        select ${key} from webhook_batches b where b.directory_id = d.id and ${condition}
        order by ${newestFirst('b')} limit cast(:offset as bigint) + :limit + 1
      ) b order by ${newestFirst('b')} limit cast(:offset as bigint) + :limit + 1)`,
  ];
}

const toDeliveryOfDirectory = (row: Row): DeliveryOfDirectory => ({
  ...toDelivery(row),
  directoryId: publicDirectoryId({ id: row.directory_id, tenant: row.tenant, product: row.product }),
  directory: { name: row.directory_name, tenant: row.tenant, product: row.product },
});
