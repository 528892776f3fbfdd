import type { Attack } from '../attack.ts';
import type { Scenario } from '../scenario.ts';

/** Reads of the JSON API by an application that has an API key. */
export const apiKeyScenarios: Scenario[] = [
  {
    name: 'counts the events of a replay of 100,000 events, sixty at once',
    directory: { webhook_url: 'http://127.0.0.1:9/', webhook_secret: 'a secret of enough characters', log_webhook_events: true },
    async run(attack) {
      await fillEvents(attack, 100_000, 20);
      const path = `/api/v1/directory-sync/${attack.directory.id}/replays`;
      const byTime = { mode: 'range', from: '2020-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z', dry_run: true };
      const bySequence = { mode: 'range', from_sequence: 1, to_sequence: 100_000, dry_run: true };
      await attack.repeat(600, 60, (index) => callApi(attack, 'POST', path, index % 2 ? byTime : bySequence));
    },
  },
  {
    name: 'reads feed pages of 790 KB, twenty at once',
    async run(attack) {
      await fillEvents(attack, 1_000, 15_800);
      const path = `/api/v1/events?directory_id=${attack.directory.id}&limit=50`;
      await attack.repeat(200, 20, () => callApi(attack, 'GET', path));
    },
  },
];

async function callApi({ target, statuses }: Attack, method: string, path: string, body?: unknown): Promise<number> {
  const { status } = await target.api(method, path, body);
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  return status;
}

/** Inserts events, as if they had been acknowledged. */
async function fillEvents({ target: { db }, directory }: Attack, events: number, bytes: number): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw('set local statement_timeout = 120000');
    await trx.raw(
      `with numbered as (update all_directories set last_sequence = :events where id = :directoryId returning id)
       insert into stored_events (directory_id, sequence, id, type, data, bytes, occurred_at)
       select numbered.id, n, gen_random_uuid(), 'user.updated', jsonb_build_object('id', n, 'text', repeat(md5(cast(n as text)), :repeats)),
         :bytes + 40, now()
       from numbered, generate_series(1, :events) n`,
      { events, bytes, repeats: Math.ceil(bytes / 32), directoryId: directory.id },
    );
    await trx.raw('update webhook_endpoints set acked_sequence = :events where directory_id = :directoryId', {
      events,
      directoryId: directory.id,
    });
  });
}
