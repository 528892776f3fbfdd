import type { Knex } from 'knex';

interface Exchange {
  method: string;
  path: string;
  body?: unknown;
  status: number;
  location?: string | undefined;
  /** The body of the response, if it was read completely. */
  text?: string;
}

/** Requests and responses, to compare with the database: no change is half applied, lost or applied twice. */
export interface Ledger {
  note(exchange: Exchange): void;
  /** Empty if everything matches. */
  findProblems(db: Knex): Promise<string[]>;
}

interface BulkOperation {
  method: string;
  path: string;
  data?: Record<string, unknown>;
}

/** A request with one of these responses has changed nothing. After 503 the change may still happen. */
const rejected = new Set([400, 401, 403, 404, 413, 429, 431]);

export function createLedger(directoryId: string): Ledger {
  // Read after the attack, because the other tenant is measured during it.
  const exchanges: Exchange[] = [];
  const created = new Set<string>();
  const absent = new Set<string>();
  /** Names of Bulk requests with an unknown outcome. Either all of them or none must be stored. */
  const undecided: string[][] = [];
  const timesSent = new Map<string, number>();
  /** How many requests may have changed a user, by id. Groups are left out, because they also change with their members. */
  const changes = new Map<string, number>();
  const isSentOnce = (name: string) => timesSent.get(name) === 1;

  return {
    note: (exchange) => void exchanges.push(exchange),

    async findProblems(db) {
      for (const exchange of exchanges.splice(0)) read(exchange);
      const bulks = undecided.map((names) => names.filter(isSentOnce)).filter((names) => names.length > 1);
      const names = [...[...absent].filter(isSentOnce), ...bulks.flat()];
      const { rows } = await db.raw<{ rows: { id: string; name: string; changes: number | null }[] }>(
        `select id, '/Users ' || user_name_key as name, version - 1 as changes from users
         where directory_id = :directoryId and (id = any(:ids) or user_name_key = any(:keys))
         union all
         select id, '/Groups ' || display_name_key, null from groups
         where directory_id = :directoryId and (id = any(:ids) or display_name_key = any(:keys))`,
        { directoryId, ids: [...created], keys: names.map((name) => name.slice(name.indexOf(' ') + 1)) },
      );
      const ids = new Set(rows.map(({ id }) => id));
      const found = new Set(rows.map(({ name }) => name));
      const lost = [...created].filter((id) => !ids.has(id));
      const left = [...absent].filter((name) => isSentOnce(name) && found.has(name));
      const half = bulks.filter((some) => some.some((name) => found.has(name)) && !some.every((name) => found.has(name)));
      const changed = rows.filter((row) => created.has(row.id) && row.changes !== null && row.changes > (changes.get(row.id) ?? 0));
      return [
        ...(lost.length > 0 ? [`${lost.length} created resources are missing, ${lost[0]} for one`] : []),
        ...(left.length > 0 ? [`${left.length} rejected resources are stored, ${left[0]} for one`] : []),
        ...(changed.length > 0 ? [`${changed.length} users were changed by rejected requests, ${changed[0]!.id} for one`] : []),
        ...(half.length > 0 ? [`${half.length} Bulk requests are half applied`] : []),
        ...(await findInconsistencies(db, directoryId)),
      ];
    },
  };

  function read({ method, path, body, status, location, text }: Exchange): void {
    const address = path.split('?')[0]!;
    noteChange(method, idAt(address), status);
    const request = method === 'POST' ? toObject(body) : undefined;
    if (request === undefined) return;
    if (address === '/Bulk') noteBulk((request['Operations'] ?? []) as BulkOperation[], status, text);
    else noteCreate(address, request, status, location);
  }

  function noteChange(method: string, id: string, status: number): void {
    if (method === 'DELETE') created.delete(id);
    if ((method === 'PATCH' || method === 'PUT') && !rejected.has(status)) changes.set(id, (changes.get(id) ?? 0) + 1);
  }

  function noteCreate(path: string, data: Record<string, unknown>, status: number, location: string | undefined): void {
    const name = nameOf(path, data);
    if (name !== undefined) timesSent.set(name, (timesSent.get(name) ?? 0) + 1);
    if (status === 201 && location) created.add(idAt(location));
    else if (name !== undefined && rejected.has(status)) absent.add(name);
  }

  function noteBulk(operations: BulkOperation[], status: number, text: string | undefined): void {
    if (status === 200 && text !== undefined) {
      const { Operations: results } = JSON.parse(text) as { Operations: { status: string; location?: string }[] };
      for (const [index, { method, path, data = {} }] of operations.entries()) {
        const { status: itsStatus = '0', location } = results[index] ?? {};
        if (method === 'POST') noteCreate(path, data, Number(itsStatus), location);
        else noteChange(method, idAt(location ?? path), Number(itsStatus));
      }
      return;
    }
    for (const { method, path, data = {} } of operations)
      if (method === 'POST') noteCreate(path, data, status, undefined);
      else noteChange(method, idAt(path), status);
    if (!rejected.has(status))
      undecided.push(operations.flatMap(({ method, path, data = {} }) => (method === 'POST' ? (nameOf(path, data) ?? []) : [])));
  }
}

/** Some attacks send invalid JSON. */
function toObject(body: unknown): Record<string, unknown> | undefined {
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return body as Record<string, unknown> | undefined;
  const text = body.toString();
  if (!text.endsWith('}')) return undefined;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** Some attacks send Bulk operations without a path. */
const idAt = (address = '') => address.split('?')[0]!.split('/').at(-1)!;

function nameOf(path: string, { userName, displayName }: Record<string, unknown>): string | undefined {
  const name = path === '/Users' ? userName : displayName;
  return typeof name === 'string' ? `${path} ${name.toLowerCase()}` : undefined;
}

/** Compares stored counts and event sequences with the rows, for one directory or all. */
export async function findInconsistencies(db: Knex, directoryId?: string): Promise<string[]> {
  const { rows } = await db.raw<{ rows: Record<string, number | string | null>[] }>(
    `select d.id, d.last_sequence, d.user_count, d.group_count, d.membership_count, u.users, g.groups, g.said, m.members, p.pending, e.*
     from all_directories d
       cross join lateral (select count(*) as users from users where directory_id = d.id) u
       cross join lateral (select count(*) as groups, coalesce(sum(member_count), 0)::bigint as said from groups where directory_id = d.id) g
       cross join lateral (select count(*) as members from group_members where directory_id = d.id) m
       cross join lateral (select count(*) as pending from pending_members where directory_id = d.id) p
       cross join lateral (
         select count(*) as events, count(distinct id) as event_ids, min(sequence) as first, max(sequence) as last
         from stored_events where directory_id = d.id
       ) e
     where d.deleting_at is null and (cast(:directoryId as uuid) is null or d.id = :directoryId)`,
    { directoryId: directoryId ?? null },
  );
  return rows.flatMap((row) => {
    const [stored, events] = [Number(row['members']) + Number(row['pending']), Number(row['events'])];
    const problems = [
      row['user_count'] !== row['users'] && `${row['user_count']} users are counted, ${row['users']} stored`,
      row['group_count'] !== row['groups'] && `${row['group_count']} groups are counted, ${row['groups']} stored`,
      row['membership_count'] !== stored && `${row['membership_count']} memberships are counted, ${stored} stored`,
      Number(row['said']) !== stored && `the groups count ${row['said']} members, ${stored} are stored`,
      events > 0 && row['last'] !== row['last_sequence'] && `the last event is ${row['last']}, the last number ${row['last_sequence']}`,
      events > 0 && events !== Number(row['last']) - Number(row['first']) + 1 && `the numbers of events have gaps`,
      row['event_ids'] !== row['events'] && `an event is stored twice`,
    ];
    return problems.filter((problem) => problem !== false).map((problem) => `${row['id']}: ${problem}`);
  });
}
