import pg from 'pg';
import { subjectOf } from '../../src/directory/recorded-requests/user-requests.ts';
import { newId } from '../../src/ids.ts';
import { createKeyring } from '../../src/keyring.ts';
import { createSecretColumns, type SecretColumns } from '../../src/store/encryption/secret-columns.ts';
import {
  dayMs,
  days,
  deliveryId,
  eventsPerDelivery,
  eventsPerOutcome,
  eventsPerTransaction,
  groupId,
  membersPerGroup,
  productOf,
  requestsPerDirectory,
  secret,
  tenantOf,
  userId,
  userTag,
  type Layout,
} from './layout.ts';
import type { Pushed } from './model.ts';
import { copyRows, createTemplate, nullCell, readModel, type ModelRow } from './row-template.ts';
import { formatNumber } from '../support/table.ts';

export interface FillOptions {
  databaseUrl: string;
  encryptionKey: string;
  webhookUrl: string;
}

interface Filling {
  client: pg.Client;
  layout: Layout;
  pushed: Pushed;
  secrets: SecretColumns;
  webhookUrl: string;
  /** The time of the first event. */
  startMs: number;
  firstTxid: number;
}

export interface Filled {
  table: string;
  rows: number;
  seconds: number;
}

/** Fills all large tables by COPY, without triggers. Each row is a copy of one that the service wrote. */
export async function fillTables(layout: Layout, options: FillOptions, pushed: Pushed): Promise<Filled[]> {
  const client = new pg.Client({ connectionString: options.databaseUrl });
  await client.connect();
  try {
    await client.query('set statement_timeout = 0');
    const { txid } = (await client.query<{ txid: string }>('select cast(pg_current_xact_id() as text) as txid')).rows[0]!;
    await useTransactions(client, Math.ceil(layout.sizes.events / eventsPerTransaction));
    // Turns off triggers, which check foreign keys.
    await client.query('set session_replication_role = replica');
    const filling: Filling = {
      client,
      layout,
      pushed,
      secrets: createSecretColumns(createKeyring([Buffer.from(options.encryptionKey, 'base64')])),
      webhookUrl: options.webhookUrl,
      startMs: Date.now() - days * dayMs,
      firstTxid: Number(txid),
    };
    const filled: Filled[] = [];
    for (const [table, fill] of Object.entries(fills)) {
      const startedMs = performance.now();
      const rows = await fill(filling, await readModel(client, table, pushed.conditions[table]!));
      const seconds = (performance.now() - startedMs) / 1000;
      filled.push({ table, rows, seconds });
      console.log(`${table.padEnd(18)} ${String(rows).padStart(9)} rows  ${formatNumber(seconds)} s`);
    }
    return filled;
  } finally {
    await client.end();
  }
}

/** Events must have transaction IDs that this cluster has used. */
async function useTransactions(client: pg.Client, count: number) {
  await client.query(`create procedure use_transactions(count int) language plpgsql as $$
    begin
      for n in 1..count loop
        perform pg_current_xact_id();
        commit;
      end loop;
    end $$`);
  await client.query(`call use_transactions(${count})`);
  await client.query('drop procedure use_transactions');
}

const fills: Record<string, (filling: Filling, model: ModelRow) => Promise<number>> = {
  all_directories: fillDirectories,
  webhook_endpoints: fillEndpoints,
  scim_secrets: fillSecrets('scim_secret'),
  webhook_secrets: fillSecrets('webhook_secret'),
  users: fillUsers,
  user_emails: fillUsers,
  groups: fillGroups,
  group_members: fillGroups,
  scim_requests: fillRequests,
  user_requests: fillRequests,
  stored_events: fillEvents,
  webhook_batches: fillDeliveries,
  webhook_attempts: fillDeliveries,
  mutations: fillOutcomes,
};

function fillDirectories({ client, layout, pushed }: Filling, model: ModelRow): Promise<number> {
  const toRow = createTemplate(model, {
    texts: { [pushed.directoryId]: 'id' },
    columns: ['tenant', 'product', 'name', 'last_sequence', 'user_count', 'group_count', 'membership_count', 'scim_secret'],
  });
  return copyRows(client, model, rows());

  function* rows() {
    for (const [index, id] of layout.ids.entries())
      yield toRow({
        id,
        tenant: tenantOf(index),
        product: productOf(index),
        name: `Directory ${index}`,
        last_sequence: layout.eventsOf(index),
        user_count: layout.usersOf(index),
        group_count: layout.groupsOf(index),
        membership_count: layout.groupsOf(index) * Math.min(membersPerGroup, layout.usersOf(index)),
        scim_secret: nullCell,
      });
  }
}

function fillEndpoints({ client, layout, pushed, secrets, webhookUrl }: Filling, model: ModelRow): Promise<number> {
  const toRow = createTemplate(model, {
    texts: { [pushed.directoryId]: 'directory_id' },
    columns: ['id', 'sealed_url', 'status', 'acked_sequence', 'cleared_sequence', 'wake', 'epoch'],
  });
  return copyRows(client, model, rows());

  function* rows() {
    for (const [index, directoryId] of layout.ids.entries()) {
      const acked = layout.ackedOf(index);
      yield toRow({
        id: layout.endpointIds[index]!,
        directory_id: directoryId,
        sealed_url: secrets.seal(directoryId, 'webhook_url', webhookUrl),
        status: layout.isPaused(index) ? 'paused' : 'active',
        acked_sequence: acked,
        cleared_sequence: acked,
        epoch: 0,
        wake: layout.isPaused(index) ? 't' : 'f',
      });
    }
  }
}

function fillSecrets(kind: 'scim_secret' | 'webhook_secret') {
  return ({ client, layout, pushed, secrets }: Filling, model: ModelRow): Promise<number> => {
    const toRow = createTemplate(model, {
      texts: { [pushed.directoryId]: 'directory_id', [pushed.endpointId]: 'endpoint_id' },
      columns: ['id', 'secret'],
    });
    return copyRows(client, model, rows());

    function* rows() {
      for (const [index, directoryId] of layout.ids.entries())
        yield toRow({
          id: newId(),
          directory_id: directoryId,
          endpoint_id: layout.endpointIds[index]!,
          secret: secrets.seal(directoryId, kind, secret),
        });
    }
  };
}

/** Users and their e-mail addresses. */
function fillUsers({ client, layout, pushed }: Filling, model: ModelRow): Promise<number> {
  const texts = { [pushed.directoryId]: 'directory_id', [pushed.userId]: 'id', [pushed.tag]: 'tag' };
  const toRow = createTemplate(model, { texts, columns: [] });
  return copyRows(client, model, rows());

  function* rows() {
    for (const [index, directoryId] of layout.ids.entries())
      for (let user = 0; user < layout.usersOf(index); user += 1)
        yield toRow({ directory_id: directoryId, id: userId(index, user), tag: userTag(index, user) });
  }
}

/** Groups and their members. */
function fillGroups({ client, layout, pushed }: Filling, model: ModelRow): Promise<number> {
  const texts = { [pushed.directoryId]: 'directory_id', [pushed.groupId]: 'group_id', [pushed.userId]: 'user_id', [pushed.tag]: 'tag' };
  const toRow = createTemplate(model, { texts, columns: [] });
  const isMembers = model.table === 'group_members';
  return copyRows(client, model, rows());

  function* rows() {
    for (const [index, directoryId] of layout.ids.entries())
      for (let group = 0; group < layout.groupsOf(index); group += 1) {
        const common = { directory_id: directoryId, group_id: groupId(index, group), tag: `d${index}g${group}` };
        const users = layout.usersOf(index);
        if (!isMembers) yield toRow({ ...common, user_id: '' });
        else
          for (let member = 0; member < Math.min(membersPerGroup, users); member += 1)
            yield toRow({ ...common, user_id: userId(index, (group * membersPerGroup + member) % users) });
      }
  }
}

/** Recorded requests, or which of them concern the first user. */
function fillRequests({ client, layout, pushed, startMs }: Filling, model: ModelRow): Promise<number> {
  const toRow = createTemplate(model, { texts: { [pushed.directoryId]: 'directory_id' }, columns: ['id', 'at', 'subject'] });
  return copyRows(client, model, rows());

  function* rows() {
    for (const [index, directoryId] of layout.ids.entries())
      for (let n = 0; n < requestsPerDirectory; n += 1) {
        const atMs = startMs + (n * days * dayMs) / requestsPerDirectory;
        yield toRow({ directory_id: directoryId, id: newId(atMs), at: toTime(atMs), subject: subjectOf(userId(index, 0)) });
      }
  }
}

/** Writes events in the order of time, so that those of all directories are mixed as in production. */
function fillEvents(filling: Filling, model: ModelRow): Promise<number> {
  const { client, layout, pushed, firstTxid } = filling;
  const toRow = createTemplate(model, {
    texts: { [pushed.eventsOf]: 'directory_id', [pushed.tag]: 'tag' },
    columns: ['sequence', 'id', 'txid', 'user_id', 'data', 'total_bytes', 'occurred_at'],
  });
  const bytes = Number(model.cells['bytes']);
  const data = model.cells['data']!;
  return copyRows(client, model, rows());

  function* rows() {
    for (const { event, directory, sequence, atMs } of eachEvent(filling))
      yield toRow({
        directory_id: layout.ids[directory]!,
        tag: '',
        sequence,
        id: newId(atMs),
        txid: firstTxid + Math.floor(event / eventsPerTransaction),
        user_id: userId(directory, sequence % layout.usersOf(directory)),
        data: sequence > layout.ackedOf(directory) ? data : nullCell,
        total_bytes: sequence * bytes,
        occurred_at: toTime(atMs),
      });
  }
}

/** Deliveries and their attempts. */
function fillDeliveries(filling: Filling, model: ModelRow): Promise<number> {
  const { client, layout, pushed, secrets, webhookUrl } = filling;
  const sealed = layout.ids.map((directoryId) => secrets.seal(directoryId, 'webhook_url', webhookUrl));
  const texts = { [pushed.directoryId]: 'directory_id', [pushed.endpointId]: 'endpoint_id', [pushed.deliveryId]: 'id' };
  const starts = ['created_at', 'first_attempt_at', 'started_at', 'next_attempt_at', 'occurred_at'];
  const ends = ['done_at', 'ended_at'];
  const toRow = createTemplate(model, {
    texts,
    columns: ['from_sequence', 'to_sequence', 'sealed_url', 'total_bytes', ...starts, ...ends],
  });
  return copyRows(client, model, rows());

  function* rows() {
    for (const { event, directory, sequence, atMs } of eachEvent(filling)) {
      if (event % eventsPerDelivery !== 0 || sequence > layout.ackedOf(directory)) continue;
      const [start, end] = [toTime(atMs), toTime(atMs + 50)];
      yield toRow({
        directory_id: layout.ids[directory]!,
        endpoint_id: layout.endpointIds[directory]!,
        id: deliveryId(event),
        from_sequence: sequence,
        to_sequence: sequence,
        sealed_url: sealed[directory]!,
        total_bytes: 800 * sequence,
        ...Object.fromEntries(starts.map((column) => [column, start])),
        ...Object.fromEntries(ends.map((column) => [column, end])),
      });
    }
  }
}

const outcomesKeptMs = 3 * dayMs;

function fillOutcomes(filling: Filling, model: ModelRow): Promise<number> {
  const { client, layout, pushed, startMs } = filling;
  const texts = { [pushed.directoryId]: 'directory_id', [pushed.userId]: 'user_id', [pushed.tag]: 'tag' };
  const toRow = createTemplate(model, { texts, columns: ['id', 'applied_at', 'total_bytes'] });
  return copyRows(client, model, rows());

  function* rows() {
    for (const { event, directory, sequence, atMs } of eachEvent(filling)) {
      if (event % eventsPerOutcome !== 0 || atMs < startMs + days * dayMs - outcomesKeptMs) continue;
      const common = { directory_id: layout.ids[directory]!, user_id: userId(directory, 0), tag: '' };
      yield toRow({ ...common, id: newId(atMs), applied_at: toTime(atMs), total_bytes: sequence });
    }
  }
}

function* eachEvent({ layout, startMs }: Filling) {
  const { events, directories } = layout.sizes;
  const sequences = new Uint32Array(directories);
  const msPerEvent = (days * dayMs) / events;
  for (let event = 0; event < events; event += 1) {
    const directory = layout.directoryOfEvent(event);
    sequences[directory]! += 1;
    yield { event, directory, sequence: sequences[directory]!, atMs: Math.floor(startMs + event * msPerEvent) };
  }
}

const toTime = (ms: number) => new Date(ms).toISOString();
