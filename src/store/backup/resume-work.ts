import type pg from 'pg';

/**
 * A restored database has no workflows. Makes their work due immediately, so that the first maintenance run starts it: deliveries, replays,
 * deletions and sync runs. A sync run that was in progress fails and is requested again.
 */
export async function resumeWork(client: pg.Client): Promise<void> {
  await client.query(`
    begin;
    delete from encryption_key_users;
    update webhook_endpoints set wake_at = null, updated_at = least(updated_at, now() - interval '1 minute');
    update webhook_batches set next_attempt_at = least(next_attempt_at, now() - interval '1 minute') where status = 'pending';
    update all_directories set deleting_at = least(deleting_at, now() - interval '1 minute') where deleting_at is not null;
    update sync_runs set checked_at = now() - interval '1 minute' where state = 'queued';
    create temp table interrupted on commit drop as select directory_id, trigger, confirms from sync_runs where state = 'running';
    update sync_runs set state = 'failed', finished_at = now(), notice = null, error_code = 'internal',
      error = 'The database was restored during the sync. Another run replaces this one.' where state = 'running';
    insert into sync_runs (directory_id, id, state, trigger, confirms, checked_at)
      select directory_id, gen_random_uuid(), 'queued', trigger, confirms, now() - interval '1 minute' from interrupted;
    commit`);
}
