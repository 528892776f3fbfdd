import type { Knex } from 'knex';

/**
 * Events that were restored from a dump have transaction ids of another Postgres cluster. If these are ahead of this cluster's, the feed
 * across directories would show the events late and out of order. So all stored events get the lowest transaction id; their order within a
 * directory stays. Cursors from the other cluster are rejected.
 */
export async function settleTransactions(db: Knex): Promise<void> {
  if (!(await isAhead(db))) return;
  await db.transaction(async (trx) => {
    await trx.raw('set local statement_timeout = 0');
    await trx.raw('set local lock_timeout = 0');
    // Other processes that start at the same time wait here and then find nothing to do.
    await trx.raw('lock table feed_horizon in exclusive mode');
    if (!(await isAhead(trx))) return;
    await trx.raw(`update feed_horizon set swept_txid = '0'`);
    await trx.raw('update all_directories set trimmed_txid = null where trimmed_txid is not null');
    await trx.raw('update stored_events set txid = ? where txid <> ?', [firstTxid, firstTxid]);
  });
}

/** The lowest id of an ordinary transaction. */
const firstTxid = '3';

async function isAhead(db: Knex): Promise<boolean> {
  const { rows } = await db.raw<{ rows: { is_ahead: boolean | null }[] }>(
    `select pg_snapshot_xmax(pg_current_snapshot()) <= greatest(
       (select txid from stored_events order by txid desc, directory_id desc, sequence desc limit 1), (select swept_txid from feed_horizon limit 1),
       (select trimmed_txid from all_directories where trimmed_txid is not null order by trimmed_txid desc limit 1)
     ) as is_ahead`,
  );
  return rows[0]?.is_ahead === true;
}
