import { AppError } from '../../errors.ts';
import { isObject, parseJsonKeepingDigits } from '../../scim/json.ts';
import { newestPolis, type PolisRow } from '../../directory/import/polis-records.ts';
import type { Counts, Kind, PolisSource, SourceDirectory } from '../../directory/import/ports.ts';

interface HttpSourceOptions {
  url: string;
  apiKey: string;
  /** Polis lists directories by product only. */
  product: string;
  timeoutMs?: number;
}

/** Polis never returns more rows at a time, unless DB_PAGE_LIMIT says so. */
const pageLimit = 50;
/** Old versions have none. */
const setupLinksPath = '/setuplinks/product';
const maxPages = 1_000_000;
/** A page of users as large as Polis accepts them, and more. */
const maxBodyBytes = 67_108_864;

/**
 * Reads Polis over its HTTP API, for databases that are not of the Postgres family. It has neither times nor the queue of events, and pages
 * shift while Polis writes: stop what pushes to it first.
 */
export function createHttpSource({ url, apiKey, product, timeoutMs = 60_000 }: HttpSourceOptions): PolisSource {
  const base = `${url.replace(/\/+$/, '')}/api/v1/dsync`;
  const origin = new URL(base).origin;

  async function request(address: string, headers: Record<string, string> = {}): Promise<{ status: number; body: unknown }> {
    try {
      const response = await fetch(address, { headers, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
      return { status: response.status, body: parse(await readText(response)) };
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw new AppError('unavailable', `No response from the Polis at ${origin}. Nothing more was written.`, { cause: error });
    }
  }

  async function readText({ body }: Response): Promise<string> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of body ?? []) {
      bytes += chunk.length;
      if (bytes > maxBodyBytes)
        throw new AppError(
          'invalid_request',
          `A response of ${origin} has more than ${maxBodyBytes} bytes: pass the base URL of Polis as --source.`,
        );
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
  }

  /** A proxy may hide the route. */
  async function assertNotTooNew(): Promise<void> {
    const { body } = await request(`${origin}${new URL(base).pathname.replace(/\/v1\/dsync$/, '/health')}`);
    const version = isObject(body) ? /^v?(\d+)\.(\d+)\./.exec(String(body['version'])) : undefined;
    if (!version) return;
    const [major, minor] = [Number(version[1]), Number(version[2])];
    const [knownMajor, knownMinor] = newestPolis.split('.').map(Number) as [number, number];
    if (major > knownMajor || (major === knownMajor && minor > knownMinor))
      throw new AppError(
        'invalid_request',
        `The Polis at ${origin} is version ${major}.${minor}, and this version of Rollcall reads versions up to ${newestPolis}: use a newer Rollcall. Nothing was written.`,
      );
  }

  async function get(path: string, query: Record<string, string>): Promise<{ data: unknown; pageToken?: unknown }> {
    const { status, body } = await request(`${base}${path}?${new URLSearchParams(query).toString()}`, {
      authorization: `Api-Key ${apiKey}`,
    });
    if (status === 401) throw new AppError('unauthorized', `The Polis at ${origin} rejects --source-api-key. Nothing was written.`);
    if (status === 404 && path === setupLinksPath) return { data: [] };
    if (status !== 200 || !isObject(body) || !Object.hasOwn(body, 'data'))
      throw new AppError(
        'invalid_request',
        `${origin} does not respond as Polis does (status ${status} for ${path || '/'}): pass its base URL as --source.`,
      );
    return body as { data: unknown };
  }

  /** Ends with a page that has nothing new: DB_PAGE_LIMIT may be lower, DynamoDB pages by token, and pages shift. */
  async function* list(
    path: string,
    query: Record<string, string>,
    toRow: (value: unknown, index: number) => PolisRow,
  ): AsyncGenerator<PolisRow[]> {
    const seen = new Set<string>();
    let token: string | undefined;
    for (let page = 0, offset = 0; page < maxPages; page += 1) {
      const { data, pageToken } = await get(path, {
        ...query,
        pageOffset: String(offset),
        pageLimit: String(pageLimit),
        ...(token !== undefined && { pageToken: token }),
      });
      const read = (Array.isArray(data) ? data : []).map((value, index) => toRow(value, offset + index));
      const rows = read.filter(({ key }) => !seen.has(key));
      for (const { key } of rows) seen.add(key);
      if (rows.length > 0) yield rows;
      const hadToken = token !== undefined;
      token = typeof pageToken === 'string' && pageToken !== '' ? pageToken : undefined;
      if (token === undefined && (hadToken || rows.length === 0)) return;
      offset += read.length;
    }
  }

  const readAt = Date.now();
  const toRow =
    (name: string) =>
    (value: unknown, index: number): PolisRow => ({
      key: `${name} ${isObject(value) && typeof value['id'] === 'string' ? value['id'] : index + 1}`,
      // Rows come newest first.
      createdAt: new Date(readAt - index),
      modifiedAt: undefined,
      value,
    });

  const toSetupLinkRow = (value: unknown, index: number): PolisRow => ({
    ...toRow('setup link')(value, index),
    key: `setup link ${isObject(value) && typeof value['setupID'] === 'string' ? value['setupID'] : index + 1}`,
  });

  async function* readMemberships(directory: SourceDirectory): AsyncGenerator<PolisRow[]> {
    for await (const groups of list('/groups', selectorOf(directory), toRow('group')))
      for (const group of groups) {
        const groupId = 'value' in group && isObject(group.value) ? String(group.value['id']) : '';
        yield* list(`/groups/${encodeURIComponent(groupId)}/members`, selectorOf(directory), (member, index) => ({
          ...toRow(`member of group ${groupId}`)(isObject(member) ? { id: member['user_id'] } : member, index),
          value: isObject(member) ? { group_id: groupId, user_id: member['user_id'] } : member,
        }));
      }
  }

  return {
    name: origin,
    isDatabase: false,
    isNewestFirst: true,
    async *listDirectories() {
      await assertNotTooNew();
      yield* list('/product', { product }, toRow('directory'));
    },
    // The number is known when all were read.
    count: (): Promise<Counts> => Promise.resolve({ users: 0, groups: 0, memberships: 0 }),
    read: (kind: Kind, directory) =>
      kind === 'memberships' ? readMemberships(directory) : list(`/${kind}`, selectorOf(directory), toRow(kind.slice(0, -1))),
    countQueued: () => Promise.resolve(0),
    async *readQueued() {},
    listSetupLinks: () => list(setupLinksPath, { product }, toSetupLinkRow),
  };
}

function parse(text: string): unknown {
  try {
    return parseJsonKeepingDigits(text);
  } catch {
    return undefined;
  }
}

/** Rows of old versions have no index by directory. */
const selectorOf = ({ polisId, tenant, product, siblings }: SourceDirectory): Record<string, string> =>
  siblings.length === 1 ? { tenant, product } : { directoryId: polisId };
