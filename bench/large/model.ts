import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../support/client.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { createDirectories } from '../support/directories.ts';
import { withDatabase } from '../support/fill.ts';
import { addMember, createGroup } from '../support/groups.ts';
import { startRollcallWorker, type RollcallEnvironment, type RunningSide } from '../support/sides.ts';
import { createUser, makeUser } from '../support/users.ts';

/** Rows that the service wrote, as models for copies. */
export interface Pushed {
  directoryId: string;
  endpointId: string;
  userId: string;
  groupId: string;
  deliveryId: string;
  /** A directory without a webhook, whose events keep their bodies. */
  eventsOf: string;
  tag: string;
  /** Selects the model row of each table. */
  conditions: Record<string, string>;
}

const tag = 'modeltag';

/** Pushes a user and a group, and delivers the events. */
export async function pushModel(
  rollcall: RunningSide,
  { environment, webhookUrl }: { environment: RollcallEnvironment; webhookUrl: string },
  cleanup: Cleanup,
): Promise<Pushed> {
  const worker = await startRollcallWorker(environment, cleanup);
  const client = createClient({ baseUrl: rollcall.baseUrl, signal: cleanup.signal });
  const [directory] = await createDirectories({ ...rollcall, count: 1, webhookUrl });
  const [withoutWebhook] = await createDirectories({ ...rollcall, count: 1 });
  const { id: userId } = await client.fetch<{ id: string }>(createUser(directory!, makeUser(tag)));
  const group = await createGroup(client, directory!, `Group ${tag}`);
  await client.fetch(addMember(group, userId)).catch(ignoreMissingBody);
  await client.fetch(createUser(withoutWebhook!, makeUser(tag)));
  await client.close();
  const found = await withDatabase(rollcall.databaseUrl, async (db) => {
    for (;;) {
      const { rows } = await db.raw<{ rows: { id: string; endpoint_id: string; is_done: boolean }[] }>(
        `select b.id, b.endpoint_id, e.cleared_sequence = d.last_sequence and exists (select from scim_requests where directory_id = d.id)
           and exists (select from user_requests where directory_id = d.id) as is_done
         from webhook_batches b join webhook_endpoints e on e.id = b.endpoint_id join all_directories d on d.id = e.directory_id
         where d.id = ? and b.status = 'delivered' order by b.from_sequence limit 1`,
        [directory!.id],
      );
      if (rows[0]?.is_done) return rows[0];
      cleanup.signal.throwIfAborted();
      await sleep(100);
    }
  });
  await worker.stop();
  const ofDirectory = `directory_id = '${directory!.id}'`;
  const conditions = Object.fromEntries(
    [
      'webhook_endpoints',
      'scim_secrets',
      'webhook_secrets',
      'users',
      'user_emails',
      'groups',
      'group_members',
      'scim_requests',
      'user_requests',
    ].map((table) => [table, ofDirectory]),
  );
  return {
    directoryId: directory!.id,
    endpointId: found.endpoint_id,
    userId,
    groupId: group.id,
    deliveryId: found.id,
    eventsOf: withoutWebhook!.id,
    tag,
    conditions: {
      ...conditions,
      all_directories: `id = '${directory!.id}'`,
      stored_events: `directory_id = '${withoutWebhook!.id}'`,
      mutations: `${ofDirectory} order by id`,
      webhook_batches: `id = '${found.id}'`,
      webhook_attempts: `batch_id = '${found.id}'`,
    },
  };
}

/** A PATCH of a group responds with 204, which has no body to parse. */
function ignoreMissingBody(error: unknown): void {
  if (!(error instanceof SyntaxError)) throw error;
}
