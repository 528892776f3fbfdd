// The tables of an application, as `client.mirror` writes them. One row of `rollcall_mirrors` per directory has its progress.

const schema = `
  create table if not exists rollcall_mirrors (directory_id text primary key, cursor text, snapshot_id uuid);
  create table if not exists rollcall_users (
    directory_id text, id text, email text not null, first_name text not null, last_name text not null, active boolean not null, snapshot_id uuid,
    primary key (directory_id, id)
  );
  create table if not exists rollcall_groups (
    directory_id text, id text, name text not null, snapshot_id uuid, primary key (directory_id, id)
  );
  create table if not exists rollcall_memberships (
    directory_id text, group_id text, user_id text, snapshot_id uuid, primary key (directory_id, group_id, user_id)
  );`;

const tables = ['rollcall_users', 'rollcall_groups', 'rollcall_memberships'];

const dataOf = (rows, type) => JSON.stringify(rows.filter((row) => row.type === type).map(({ data }) => data));

/** `pool` is a `pg.Pool`. */
export async function openPostgresStore(pool, directoryId) {
  await pool.query(schema);
  await pool.query('insert into rollcall_mirrors (directory_id) values ($1) on conflict do nothing', [directoryId]);

  return {
    async readCursor() {
      const { rows } = await pool.query('select cursor from rollcall_mirrors where directory_id = $1', [directoryId]);
      return rows[0].cursor ?? undefined;
    },

    async beginSnapshot(snapshotId) {
      await pool.query('update rollcall_mirrors set snapshot_id = $2, cursor = null where directory_id = $1', [directoryId, snapshotId]);
    },

    writeSnapshot: (snapshotId, rows) =>
      transactionIf('snapshot_id = $2', snapshotId, async (client) => {
        await upsertUsers(client, dataOf(rows, 'user'), snapshotId);
        await upsertGroups(client, dataOf(rows, 'group'), snapshotId);
        await upsertMemberships(client, dataOf(rows, 'membership'), snapshotId);
      }),

    endSnapshot: (snapshotId, cursor) =>
      transactionIf('snapshot_id = $2', snapshotId, async (client) => {
        for (const table of tables)
          await client.query(`delete from ${table} where directory_id = $1 and snapshot_id is distinct from $2`, [directoryId, snapshotId]);
        await client.query('update rollcall_mirrors set cursor = $2 where directory_id = $1', [directoryId, cursor]);
      }),

    applyEvents: (events, { from, to }) =>
      transactionIf('cursor = $2', from, async (client) => {
        for (const event of events) await apply(client, event);
        await client.query('update rollcall_mirrors set cursor = $2 where directory_id = $1', [directoryId, to]);
      }),
  };

  /** Does the work if the progress is as expected. The lock keeps it so until the commit. */
  async function transactionIf(condition, expected, work) {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const { rowCount } = await client.query(`select from rollcall_mirrors where directory_id = $1 and ${condition} for update`, [
        directoryId,
        expected,
      ]);
      if (rowCount === 1) await work(client);
      await client.query('commit');
      return rowCount === 1;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  }

  async function apply(client, { event, data }) {
    switch (event) {
      case 'user.created':
      case 'user.updated':
      case 'user.deactivated':
      case 'user.reactivated':
        return upsertUsers(client, JSON.stringify([data]), null);
      case 'user.deleted':
        await client.query('delete from rollcall_memberships where directory_id = $1 and user_id = $2', [directoryId, data.id]);
        return client.query('delete from rollcall_users where directory_id = $1 and id = $2', [directoryId, data.id]);
      case 'group.created':
      case 'group.updated':
        return upsertGroups(client, JSON.stringify([data]), null);
      case 'group.deleted':
        await client.query('delete from rollcall_memberships where directory_id = $1 and group_id = $2', [directoryId, data.id]);
        return client.query('delete from rollcall_groups where directory_id = $1 and id = $2', [directoryId, data.id]);
      case 'group.user_added':
        return upsertMemberships(client, JSON.stringify([{ group_id: data.group.id, user_id: data.id }]), null);
      case 'group.user_removed':
        return client.query('delete from rollcall_memberships where directory_id = $1 and group_id = $2 and user_id = $3', [
          directoryId,
          data.group.id,
          data.id,
        ]);
      default:
        return undefined;
    }
  }

  // An event keeps the mark of a snapshot that is being read.
  function upsertUsers(client, users, snapshotId) {
    return client.query(
      `insert into rollcall_users (directory_id, id, email, first_name, last_name, active, snapshot_id)
       select $1, id, email, first_name, last_name, active, $3
       from jsonb_to_recordset($2) as given (id text, email text, first_name text, last_name text, active boolean)
       on conflict (directory_id, id) do update set email = excluded.email, first_name = excluded.first_name, last_name = excluded.last_name,
         active = excluded.active, snapshot_id = coalesce(excluded.snapshot_id, rollcall_users.snapshot_id)`,
      [directoryId, users, snapshotId],
    );
  }

  function upsertGroups(client, groups, snapshotId) {
    return client.query(
      `insert into rollcall_groups (directory_id, id, name, snapshot_id)
       select $1, id, name, $3 from jsonb_to_recordset($2) as given (id text, name text)
       on conflict (directory_id, id) do update
       set name = excluded.name, snapshot_id = coalesce(excluded.snapshot_id, rollcall_groups.snapshot_id)`,
      [directoryId, groups, snapshotId],
    );
  }

  function upsertMemberships(client, memberships, snapshotId) {
    return client.query(
      `insert into rollcall_memberships (directory_id, group_id, user_id, snapshot_id)
       select $1, group_id, user_id, $3 from jsonb_to_recordset($2) as given (group_id text, user_id text)
       on conflict (directory_id, group_id, user_id) do update
       set snapshot_id = coalesce(excluded.snapshot_id, rollcall_memberships.snapshot_id)`,
      [directoryId, memberships, snapshotId],
    );
  }
}
