import { randomInt } from 'node:crypto';
import type { Knex } from 'knex';
import { userId, type Layout } from './layout.ts';

/** Directories that change in one transaction. With many more, the versions of a row would never share a page. */
const directoriesPerRound = 8;

/**
 * Writes the rows of changes, each delivered as one webhook, with the same updates as the service, but for several directories at once. Returns
 * the number of changes.
 */
export async function churn(db: Knex, layout: Layout, changes: number, signal: AbortSignal): Promise<number> {
  const perRound = Math.min(directoriesPerRound, layout.sizes.directories);
  // The benchmark does not measure the speed of the WAL.
  await db.raw('set synchronous_commit = off');
  let done = 0;
  for (; done < changes && !signal.aborted; done += perRound) {
    const start = randomInt(layout.sizes.directories);
    const chosen = Array.from({ length: perRound }, (_, n) => (start + n * 7) % layout.sizes.directories);
    const directories = [...new Set(chosen)].filter((directory) => !layout.isPaused(directory) && layout.usersOf(directory) > 0);
    const ids = directories.map((directory) => layout.ids[directory]!);
    const users = directories.map((directory) => userId(directory, randomInt(layout.usersOf(directory))));
    for (const statement of statements) await db.raw(statement, { ids, users });
  }
  return done;
}

const chosen = `chosen as (select * from unnest(cast(:ids as uuid[]), cast(:users as uuid[])) as chosen(id, user_id))`;
const lastEvent = `(select e.id as endpoint_id, e.directory_id, d.last_sequence from webhook_endpoints e join all_directories d on d.id = e.directory_id
   join chosen on chosen.id = d.id)`;
const deliveryId = `'msg_' || substr(encode(sha256(convert_to(directory_id || ':' || last_sequence, 'UTF8')), 'hex'), 1, 27)`;

/** The statements of a change and its delivery, in execution order. */
const statements = [
  `with ${chosen}, held as (
     update all_directories d set last_sequence = last_sequence + 1, revision = revision + 1, outcome_bytes = outcome_bytes + 300
     from chosen where d.id = chosen.id returning d.id, d.last_sequence, chosen.user_id
   ), changed as (
     update users u set active = not active, version = version + 1, updated_at = now()
     from chosen where u.directory_id = chosen.id and u.id = chosen.user_id
     returning u.directory_id, u.id, jsonb_build_object('id', u.id, 'email', u.email, 'raw', u.resource) as data
   ), outcomes as (
     insert into mutations (directory_id, id, outcome, total_bytes)
     select id, uuidv7(), jsonb_build_object('kind', 'user', 'id', user_id, 'version', last_sequence), last_sequence * 300 from held
   ), wake as (
     update webhook_endpoints e set wake = true, wake_at = clock_timestamp() from chosen where e.directory_id = chosen.id
   )
   insert into stored_events (directory_id, sequence, id, type, user_id, data, bytes, total_bytes, occurred_at)
   select held.id, held.last_sequence, uuidv7(), 'user.updated', held.user_id, changed.data, 900, held.last_sequence * 900, now()
   from held join changed on changed.directory_id = held.id`,
  `with ${chosen} update webhook_endpoints e set epoch = epoch + 1, wake = false, wake_at = clock_timestamp(), starts = starts + 1
   from chosen where e.directory_id = chosen.id`,
  `with ${chosen}, opened as (
     insert into webhook_batches (directory_id, endpoint_id, id, from_sequence, to_sequence, event_count, occurred_at, body, bytes, sha256, attempts, total_bytes)
     select directory_id, endpoint_id, ${deliveryId}, last_sequence, last_sequence, 1, now(), repeat('x', 900), 900, repeat('0', 64), 1, last_sequence * 800
     from ${lastEvent} last returning directory_id, id
   )
   insert into webhook_attempts (directory_id, batch_id, number, url, sealed_url)
   select o.directory_id, o.id, 1, e.url, e.sealed_url from opened o join webhook_endpoints e on e.directory_id = o.directory_id`,
  `with ${chosen}, held as (
     update webhook_endpoints e set acked_sequence = d.last_sequence, last_success_at = clock_timestamp(), starts = 0, log_bytes = log_bytes + 800
     from chosen join all_directories d on d.id = chosen.id where e.directory_id = chosen.id returning e.directory_id, d.last_sequence
   ), closed as (
     update webhook_batches b set status = 'delivered', done_at = clock_timestamp(), body = null
     from held where b.directory_id = held.directory_id and b.id = ${deliveryId.replaceAll('directory_id', 'held.directory_id')} returning b.id
   )
   update webhook_attempts a set outcome = 'success', status_code = 200, ended_at = clock_timestamp() from closed where a.batch_id = closed.id`,
  `with ${chosen}, cleared as (
     update stored_events s set data = null from chosen join all_directories d on d.id = chosen.id
     where s.directory_id = chosen.id and s.sequence = d.last_sequence returning s.directory_id
   )
   update webhook_endpoints e set cleared_sequence = acked_sequence from cleared where e.directory_id = cleared.directory_id`,
];
