// The application's own tables, and how an event changes them.
import pg from 'pg';

const schema = `
  create table if not exists users (
    id uuid primary key, directory_id uuid not null, email text not null, first_name text not null, last_name text not null,
    active boolean not null, deleted_at timestamptz, sequence bigint not null
  );
  create table if not exists groups (
    id uuid primary key, directory_id uuid not null, name text not null, deleted_at timestamptz, sequence bigint not null
  );
  create table if not exists memberships (
    group_id uuid, user_id uuid, directory_id uuid not null, is_member boolean not null, sequence bigint not null,
    primary key (group_id, user_id)
  );
  -- Every event up to loaded_sequence is included in the last full load. Every event up to sequence has been applied.
  create table if not exists progress (
    directory_id uuid primary key, loaded_sequence bigint not null, sequence bigint not null, cursor text not null
  );`;

// A row remembers the sequence of the event it comes from. An older event, or the same one again, leaves it as it is.
const upserts = {
  users: `
    insert into users (id, directory_id, email, first_name, last_name, active, deleted_at, sequence)
    values ($1, $2, $3, $4, $5, $6, $7, $8)
    on conflict (id) do update set email = excluded.email, first_name = excluded.first_name, last_name = excluded.last_name,
      active = excluded.active, deleted_at = excluded.deleted_at, sequence = excluded.sequence
    where users.sequence < excluded.sequence`,
  groups: `
    insert into groups (id, directory_id, name, deleted_at, sequence) values ($1, $2, $3, $4, $5)
    on conflict (id) do update set name = excluded.name, deleted_at = excluded.deleted_at, sequence = excluded.sequence
    where groups.sequence < excluded.sequence`,
  memberships: `
    insert into memberships (group_id, user_id, directory_id, is_member, sequence) values ($1, $2, $3, $4, $5)
    on conflict (group_id, user_id) do update set is_member = excluded.is_member, sequence = excluded.sequence
    where memberships.sequence < excluded.sequence`,
};

export async function openTables(databaseUrl) {
  const pool = new pg.Pool({ connectionString: databaseUrl });
  await pool.query(schema);

  async function transaction(work) {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  }

  return {
    transaction,
    close: () => pool.end(),

    async readProgress(directoryId) {
      const { rows } = await pool.query('select sequence, cursor from progress where directory_id = $1', [directoryId]);
      return rows[0] && { sequence: Number(rows[0].sequence), cursor: rows[0].cursor };
    },
  };
}

/** Returns whether anything changed, and whether all earlier events have been applied. */
export async function applyEvent(client, event) {
  // This also locks the row, so events of one directory are applied one after the other.
  const { rows } = await client.query(
    `update progress set sequence = case when sequence + 1 = $2 then $2 else sequence end
     where directory_id = $1 returning loaded_sequence, sequence >= $2 as is_complete`,
    [event.directory_id, event.sequence],
  );
  const [progress] = rows;
  if (!progress) throw new Error(`Directory ${event.directory_id} has not been loaded.`);
  if (event.sequence <= Number(progress.loaded_sequence)) return { isApplied: false, isComplete: true };

  const { rowCount } = await upsert(client, event);
  return { isApplied: rowCount > 0, isComplete: progress.is_complete };
}

function upsert(client, { event, directory_id: directoryId, sequence, occurred_at: at, data }) {
  const [kind, change] = event.split('.');
  const deletedAt = change === 'deleted' ? at : null;
  if (change === 'user_added' || change === 'user_removed')
    return client.query(upserts.memberships, [data.group.id, data.id, directoryId, change === 'user_added', sequence]);
  if (kind === 'group') return client.query(upserts.groups, [data.id, directoryId, data.name, deletedAt, sequence]);
  if (kind === 'user') {
    const active = data.active && deletedAt === null;
    return client.query(upserts.users, [data.id, directoryId, data.email, data.first_name, data.last_name, active, deletedAt, sequence]);
  }
  // A type of event that this application does not know.
  return { rowCount: 0 };
}

/** Makes the tables equal to what the API returned: rows that it did not return are marked as deleted. */
export async function replaceAll(client, { directoryId, sequence, cursor, users, groups, members }) {
  await client.query(
    `insert into progress (directory_id, loaded_sequence, sequence, cursor) values ($1, $2, $2, $3)
     on conflict (directory_id) do update
     set loaded_sequence = excluded.loaded_sequence, sequence = excluded.sequence, cursor = excluded.cursor`,
    [directoryId, sequence, cursor],
  );
  await client.query(
    `update users set active = false, deleted_at = coalesce(deleted_at, now()), sequence = $2
     where directory_id = $1 and id <> all($3::uuid[])`,
    [directoryId, sequence, users.map(({ id }) => id)],
  );
  await client.query(
    `insert into users (id, directory_id, email, first_name, last_name, active, sequence)
     select id, $1, email, first_name, last_name, active, $2
     from jsonb_to_recordset($3) as loaded (id uuid, email text, first_name text, last_name text, active boolean)
     on conflict (id) do update set email = excluded.email, first_name = excluded.first_name, last_name = excluded.last_name,
       active = excluded.active, deleted_at = null, sequence = excluded.sequence`,
    [directoryId, sequence, JSON.stringify(users)],
  );
  await client.query(
    `update groups set deleted_at = coalesce(deleted_at, now()), sequence = $2 where directory_id = $1 and id <> all($3::uuid[])`,
    [directoryId, sequence, groups.map(({ id }) => id)],
  );
  await client.query(
    `insert into groups (id, directory_id, name, sequence)
     select id, $1, name, $2 from jsonb_to_recordset($3) as loaded (id uuid, name text)
     on conflict (id) do update set name = excluded.name, deleted_at = null, sequence = excluded.sequence`,
    [directoryId, sequence, JSON.stringify(groups)],
  );
  await client.query('update memberships set is_member = false, sequence = $2 where directory_id = $1', [directoryId, sequence]);
  await client.query(
    `insert into memberships (group_id, user_id, directory_id, is_member, sequence)
     select group_id, user_id, $1, true, $2 from jsonb_to_recordset($3) as loaded (group_id uuid, user_id uuid)
     on conflict (group_id, user_id) do update set is_member = true, sequence = excluded.sequence`,
    [directoryId, sequence, JSON.stringify(members)],
  );
}

/** Remembers that the feed has been read up to this cursor. */
export const saveCursor = (client, directoryId, { cursor, sequence }) =>
  client.query('update progress set cursor = $2, sequence = greatest(sequence, $3) where directory_id = $1', [
    directoryId,
    cursor,
    sequence,
  ]);
