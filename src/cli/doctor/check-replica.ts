import { type Pooler, openDatabase } from '../../store/database.ts';
import { readPosition } from '../../store/sql/watch-replica.ts';
import { createFindings, type Finding } from './findings.ts';

const { ok, problem, warning } = createFindings('Read replica');

interface ReplicaToCheck {
  url: string;
  primaryUrl: string;
  pooler: Pooler;
}

/** The service measures the lag, and shows it at `/health/ready`. */
export async function checkReplica({ url, primaryUrl, pooler }: ReplicaToCheck): Promise<Finding[]> {
  const [replica, primary] = [url, primaryUrl].map((one) => openDatabase(one, { pooler, poolSize: 1 }));
  try {
    const expected = await readPosition(primary!, 'pg_current_wal_lsn').catch(() => undefined);
    // The check of the database reports it.
    if (expected === undefined) return [];
    const found = await readPosition(replica!, 'pg_last_wal_replay_lsn').catch(() => undefined);
    if (found === undefined)
      return [
        warning('The replica does not respond, so the primary answers lists and the feed.', 'Start it, or correct DATABASE_READ_URL.'),
      ];
    if (found.identity !== expected.identity)
      return [problem('The server at DATABASE_READ_URL has another database.', 'Use the address of a streaming replica of DATABASE_URL.')];
    if (found.position === null || !found.isReplica)
      return [
        problem('The server at DATABASE_READ_URL is not a replica.', 'Use the address of a streaming replica, or remove the setting.'),
      ];
    return [ok('The replica responds.')];
  } finally {
    await Promise.all([replica!.destroy(), primary!.destroy()]);
  }
}
