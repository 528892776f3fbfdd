import type { z } from 'zod';
import { ProviderError, type DirectorySource, type ProviderPage, type ProviderUser } from '../../directory/sync/provider.ts';
import { type Graph, type GraphPage, undocumented } from './graph.ts';
import {
  groupSchema,
  groupSelection,
  isGroup,
  isUserOrGroup,
  partialSchema,
  toGroup,
  toUser,
  userSchema,
  userSelection,
} from './records.ts';

type PageRequest = Parameters<DirectorySource['listUsers']>[0];

interface Kind<Output> {
  name: 'users' | 'groups';
  schema: z.ZodType<Output>;
  selection: string;
  first: string;
  /** Properties that a complete object always has. Graph may send only some of the properties. */
  required: string[];
  toItem(record: Output): ProviderUser;
}

const users: Kind<z.output<typeof userSchema>> = {
  name: 'users',
  schema: userSchema,
  selection: userSelection,
  first: `/users/delta?$select=${userSelection}`,
  required: ['accountEnabled', 'displayName'],
  toItem: toUser,
};

/** `members` makes Graph report changes of members too. */
const groups: Kind<z.output<typeof groupSchema>> = {
  name: 'groups',
  schema: groupSchema,
  selection: groupSelection,
  first: `/groups/delta?$select=${groupSelection},members`,
  required: ['displayName'],
  toItem: toGroup,
};

/**
 * Reads a whole tenant. A change that Graph reports is only a hint: an object may come in parts, repeatedly and late. So each changed object is
 * read again, and the members of a changed group are listed in full. A full list may have parts of objects too.
 */
export function createDirectorySource(graph: Graph): DirectorySource {
  return {
    listUsers: (request) => listPage(graph, users, request),
    listGroups: (request) => listPage(graph, groups, request),
    listMembers: (groupId, request) => listMembers(graph, groupId, request),
    listGroupsOf: (memberIds, request) => listGroupsOf(graph, memberIds, request),
  };
}

async function listPage<Output>(
  graph: Graph,
  kind: Kind<Output>,
  { pageToken, isIncremental = false, findStaged, signal }: PageRequest,
): Promise<ProviderPage<ProviderUser>> {
  const page = await graph.readPage(pageToken ?? kind.first, signal);
  const { value, nextLink, deltaLink } = page;
  if ((nextLink === undefined) === (deltaLink === undefined)) throw undocumented('a page without the link that must follow it');
  const objects = readObjects(value);
  const latest = toLatest(objects);
  const isRemoved = new Set(objects.filter((object) => object['@removed'] !== undefined).map(({ id }) => id));
  const isRepeated = findRepeated(objects);
  const isStaged = new Set(isIncremental ? [] : await findStaged?.([...latest.keys()]));
  const complete: ProviderUser[] = [];
  const incomplete: string[] = [];
  for (const [id, record] of latest) {
    const isReliable = !isIncremental && !isRemoved.has(id) && !isRepeated.has(id) && !isStaged.has(id);
    const read = isReliable && kind.required.every((name) => (record[name] ?? null) !== null) ? kind.schema.safeParse(record) : undefined;
    if (read?.success) complete.push(kind.toItem(read.data));
    else incomplete.push(id);
  }
  const reread = await readCurrent(graph, kind, incomplete, signal);
  const items = [...complete, ...reread.found];
  // An object that is not found may be too new for the replica of Graph that responded, so only a reported deletion counts.
  const removed = reread.missing.filter((id) => isRemoved.has(id));
  const missing = new Set(reread.missing);
  const isUncertain = isIncremental && incomplete.some((id) => (latest.get(id)!['@removed'] !== undefined) !== missing.has(id));
  return {
    items,
    listed: items.length,
    removed,
    isUncertain,
    ...(nextLink !== undefined && { nextPageToken: nextLink }),
    ...(deltaLink !== undefined && { link: deltaLink }),
  };
}

type DeltaObject = z.output<typeof partialSchema>;

function readObjects(value: unknown[]): DeltaObject[] {
  return value.map((one) => {
    const read = partialSchema.safeParse(one);
    if (!read.success) throw undocumented('an object without an ID');
    return read.data;
  });
}

function findRepeated(objects: DeltaObject[]): Set<string> {
  const [seen, repeated] = [new Set<string>(), new Set<string>()];
  for (const { id } of objects) (seen.has(id) ? repeated : seen).add(id);
  return repeated;
}

/** The last entry of each object on a page. */
const toLatest = (objects: DeltaObject[]) => new Map(objects.map((object) => [object.id, object]));

const readLatest = (value: unknown[]) => toLatest(readObjects(value));

async function readCurrent<Output>(graph: Graph, { name, schema, selection, toItem }: Kind<Output>, ids: string[], signal: AbortSignal) {
  const bodies = await graph.readEach(
    ids.map((id) => `/${name}/${id}?$select=${selection}`),
    signal,
  );
  const found: ProviderUser[] = [];
  const missing: string[] = [];
  for (const [index, body] of bodies.entries()) {
    if (body === undefined) {
      missing.push(ids[index]!);
      continue;
    }
    const read = schema.safeParse(body);
    if (!read.success || body['id'] !== ids[index]) throw undocumented(name === 'users' ? 'a user' : 'a group');
    found.push(toItem(read.data));
  }
  return { found, missing };
}

export async function listMembers(graph: Graph, groupId: string, { pageToken, signal }: PageRequest) {
  const { value, nextLink } = assertNoDeltaLink(
    await graph.readPage(pageToken ?? `/groups/${groupId}/members?$select=id&$top=999`, signal),
  );
  const members = [...readLatest(value).values()].filter(isUserOrGroup);
  return {
    items: members.map(({ id: externalId }) => ({ externalId })),
    listed: value.length,
    ...(nextLink !== undefined && { nextPageToken: nextLink }),
  };
}

/** Only delta lists end with a link. */
export function assertNoDeltaLink(page: GraphPage): GraphPage {
  if (page.deltaLink !== undefined) throw undocumented('a page with a link that does not belong to it');
  return page;
}

async function listGroupsOf(
  graph: Graph,
  memberIds: string[],
  { kind, signal }: { kind: 'users' | 'groups'; signal: AbortSignal },
): Promise<ProviderUser[]> {
  const bodies = await graph.readEach(
    memberIds.map((id) => `/${kind}/${id}/memberOf?$select=id&$top=999`),
    signal,
  );
  const ids = new Set<string>();
  for (const body of bodies) {
    if (body === undefined) continue;
    let page = toPage(body);
    for (let pages = 0; ; pages += 1) {
      for (const record of readLatest(page.value).values()) if (isGroup(record)) ids.add(record.id);
      if (page.nextLink === undefined) break;
      if (pages > maxPagesOfGroups)
        throw new ProviderError('invalid_response', 'Microsoft Graph returned an endless list of groups of a member.');
      page = assertNoDeltaLink(await graph.readPage(page.nextLink, signal));
    }
  }
  return (await readCurrent(graph, groups, [...ids], signal)).found;
}

const maxPagesOfGroups = 100;

function toPage(body: Record<string, unknown>): GraphPage {
  const { value, '@odata.nextLink': nextLink } = body;
  if (!Array.isArray(value) || (nextLink !== undefined && typeof nextLink !== 'string')) throw undocumented('a page');
  return { value, nextLink, deltaLink: undefined };
}
