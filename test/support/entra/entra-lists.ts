import { randomUUID } from 'node:crypto';
import type { EntraWorld, Entry } from './entra-world.ts';

/** How a fake Graph differs from a tidy one. All of it is documented, or was seen. */
export interface Oddities {
  pageSize: number;
  /** Before each page, an empty one. */
  emptyPages: boolean;
  /** Each delta repeats what the one before it told. */
  replays: boolean;
}

export type Body = Record<string, unknown>;
export type Reply = { status: number; body?: unknown; headers?: Record<string, string> };

interface Place {
  kind: 'users' | 'groups';
  entries: Entry[];
  /** Where the journal was when the list began. */
  until: number;
  from: number;
  wasEmpty: boolean;
}

const typeOf = (world: EntraWorld, id: string) =>
  `#microsoft.graph.${world.groups.has(id) ? 'group' : world.users.has(id) ? 'user' : 'device'}`;

export const error = (status: number, code: string): Reply => ({ status, body: { error: { code, message: 'A message.' } } });

export function createEntraLists(world: EntraWorld, url: () => string) {
  const odd: Oddities = { pageSize: 3, emptyPages: false, replays: false };
  const places = new Map<string, Place>();
  const deltas = new Map<string, number>();

  return {
    odd,
    /** Makes all links void. */
    forgetLinks(): void {
      places.clear();
      deltas.clear();
    },

    delta(kind: 'users' | 'groups', query: URLSearchParams): Reply {
      const [skip, token] = [query.get('$skiptoken'), query.get('$deltatoken')];
      if (skip !== null) {
        const place = places.get(skip);
        return place ? page(place) : error(410, 'syncStateNotFound');
      }
      if (token === null) return page({ kind, entries: everything(kind), until: world.journal.length, from: 0, wasEmpty: false });
      const after = deltas.get(token);
      if (after === undefined) return error(400, 'syncStateNotFound');
      const from = odd.replays ? Math.max(0, after - 20) : after;
      const entries = world.journal.slice(from).filter((entry) => entry.kind === kind);
      return page({ kind, entries, until: world.journal.length, from: 0, wasEmpty: false });
    },

    plain(records: Body[], path: string, query: URLSearchParams): Reply {
      const from = Number(query.get('$skip') ?? '0');
      const value = records.slice(from, from + odd.pageSize);
      const next = from + odd.pageSize;
      const more = next < records.length && { '@odata.nextLink': `${url()}/v1.0${path}?$skip=${next}` };
      return { status: 200, body: { value, ...more } };
    },

    describe: (id: string): Body => ({ '@odata.type': typeOf(world, id), ...(world.users.get(id) ?? world.groups.get(id) ?? { id }) }),

    /** Users and groups below a group. */
    transitive(groupId: string, found = new Set<string>()): Set<string> {
      for (const id of world.members.get(groupId) ?? []) {
        if (found.has(id)) continue;
        found.add(id);
        if (world.groups.has(id)) this.transitive(id, found);
      }
      return found;
    },
  };

  function everything(kind: 'users' | 'groups'): Entry[] {
    if (kind === 'users') return [...world.users.values()].map((user) => ({ kind, id: user.id, changed: user }));
    return [...world.groups.values()].flatMap((group): Entry[] => [
      { kind, id: group.id, changed: group },
      ...[...world.members.get(group.id)!].map((member): Entry => ({ kind, id: group.id, member, isRemoved: false })),
    ]);
  }

  function page(place: Place): Reply {
    const { kind, entries, until, from, wasEmpty } = place;
    const isLast = from >= entries.length;
    const isEmpty = odd.emptyPages && !wasEmpty && !isLast;
    const some = isEmpty ? [] : entries.slice(from, from + odd.pageSize);
    const next = from + some.length;
    const body: Body = { '@odata.context': 'a context', value: toObjects(some) };
    const token = randomUUID();
    if (next >= entries.length && !isEmpty) {
      deltas.set(token, until);
      body['@odata.deltaLink'] = `${url()}/v1.0/${kind}/delta?$deltatoken=${token}`;
    } else {
      places.set(token, { ...place, from: next, wasEmpty: isEmpty });
      body['@odata.nextLink'] = `${url()}/v1.0/${kind}/delta?$skiptoken=${token}`;
    }
    return { status: 200, body };
  }

  /** Members come in slices, so one group may be several objects of a page. */
  function toObjects(entries: Entry[]): Body[] {
    return entries.flatMap((entry): Body[] => {
      if ('changed' in entry) return [{ id: entry.id, ...withoutNull(entry.changed) }];
      if ('removed' in entry) return [{ id: entry.id, '@removed': { reason: entry.removed } }];
      const { id, member, isRemoved } = entry;
      const told = { '@odata.type': typeOf(world, member), id: member, ...(isRemoved && { '@removed': { reason: 'deleted' } }) };
      return [{ id, 'members@delta': [told] }];
    });
  }
}

const withoutNull = (record: Body): Body => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
