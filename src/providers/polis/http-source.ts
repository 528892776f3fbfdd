import { AppError } from '../../errors.ts';
import { isObject, parseJson } from '../../scim/json.ts';
import type { Counts, Kind, PolisPlace, PolisRow, PolisSource } from '../../directory/import/ports.ts';

interface HttpSourceOptions {
  url: string;
  apiKey: string;
  /** Polis lists directories by product only. */
  product: string;
  timeoutMs?: number;
}

/** Polis never returns more rows at a time, unless DB_PAGE_LIMIT says so. */
const pageLimit = 50;
const maxPages = 1_000_000;

/**
 * Reads Polis over its HTTP API, for databases that are not of the Postgres family. It has neither times nor the queue of events, and pages
 * shift while Polis writes: stop what pushes to it first.
 */
export function createHttpSource({ url, apiKey, product, timeoutMs = 60_000 }: HttpSourceOptions): PolisSource {
  const base = `${url.replace(/\/+$/, '')}/api/v1/dsync`;
  const origin = new URL(base).origin;

  async function get(path: string, query: Record<string, string>): Promise<{ data: unknown; pageToken?: unknown }> {
    const response = await fetch(`${base}${path}?${new URLSearchParams(query).toString()}`, {
      headers: { authorization: `Api-Key ${apiKey}` },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((error: unknown) => {
      throw new AppError('unavailable', `No response from the Polis at ${origin}. Nothing more was written.`, { cause: error });
    });
    const text = await response.text();
    if (response.status === 401)
      throw new AppError('unauthorized', `The Polis at ${origin} rejects --source-api-key. Nothing was written.`);
    const body = parseJson(text);
    if (!response.ok || !isObject(body) || !Object.hasOwn(body, 'data'))
      throw new AppError(
        'invalid_request',
        `${origin} does not respond as Polis does (status ${response.status} for ${path || '/'}): pass its base URL as --source.`,
      );
    return body as { data: unknown };
  }

  /** DynamoDB pages by token. */
  async function* list(
    path: string,
    query: Record<string, string>,
    toRow: (value: unknown, index: number) => PolisRow,
  ): AsyncGenerator<PolisRow[]> {
    let token: string | undefined;
    for (let page = 0, offset = 0; page < maxPages; page += 1) {
      const { data, pageToken } = await get(path, {
        ...query,
        pageOffset: String(offset),
        pageLimit: String(pageLimit),
        ...(token !== undefined && { pageToken: token }),
      });
      const rows = Array.isArray(data) ? data : [];
      if (rows.length > 0) yield rows.map((value, index) => toRow(value, offset + index));
      token = typeof pageToken === 'string' && pageToken !== '' ? pageToken : undefined;
      if (rows.length < pageLimit && token === undefined) return;
      offset += rows.length;
      if (rows.length === 0) return;
    }
  }

  const readAt = new Date();
  const toRow =
    (name: string) =>
    (value: unknown, index: number): PolisRow => ({
      key: `${name} ${isObject(value) && typeof value['id'] === 'string' ? value['id'] : index + 1}`,
      createdAt: readAt,
      modifiedAt: undefined,
      value,
    });

  async function* readMemberships(place: PolisPlace): AsyncGenerator<PolisRow[]> {
    for await (const groups of list('/groups', selectorOf(place), toRow('group')))
      for (const group of groups) {
        const groupId = 'value' in group && isObject(group.value) ? String(group.value['id']) : '';
        yield* list(`/groups/${encodeURIComponent(groupId)}/members`, selectorOf(place), (member, index) => ({
          ...toRow(`member of group ${groupId}`)(member, index),
          value: isObject(member) ? { group_id: groupId, user_id: member['user_id'] } : member,
        }));
      }
  }

  return {
    name: origin,
    isDatabase: false,
    listDirectories: () => list('/product', { product }, toRow('directory')),
    // The number is known when all were read.
    count: (): Promise<Counts> => Promise.resolve({ users: 0, groups: 0, memberships: 0 }),
    read: (kind: Kind, place) =>
      kind === 'memberships' ? readMemberships(place) : list(`/${kind}`, selectorOf(place), toRow(kind.slice(0, -1))),
    countQueued: () => Promise.resolve(0),
    async *readQueued() {},
  };
}

/** Rows of old versions have no index by directory. */
const selectorOf = ({ id, tenant, product, siblings }: PolisPlace): Record<string, string> =>
  siblings.length === 1 ? { tenant, product } : { directoryId: id };
