import type { z } from 'zod';
import {
  ProviderError,
  type ProviderConnection,
  type ProviderGroup,
  type ProviderPage,
  type DirectorySource,
  type ProviderUser,
} from '../../directory/sync/provider.ts';
import { type AccessTokens, type DirectoryClient, createDirectoryClient } from './access-tokens.ts';
import {
  groupSchema,
  isUserOrGroup,
  memberSchema,
  pageSchemas,
  ResponseTooLargeError,
  validateResponse,
  userSchema,
  type GroupRecord,
  type UserRecord,
  sanitizeJson,
  parseResponse,
} from './responses.ts';
import { createGroupFilter, createUserFilter, toGroup, toUser } from './records.ts';
import { explainFailure, type RequestContext } from './explain-failure.ts';
import type { Access, GoogleAddresses } from './settings.ts';
import { orAborted, withTimeout } from '../../shared/timeout.ts';

interface DirectorySourceOptions {
  connection: Pick<ProviderConnection, 'groups' | 'orgUnits'>;
  by: Access['by'];
  tokens: AccessTokens;
  addresses: GoogleAddresses;
}

interface List<Row, Item> {
  name: ListName;
  record: z.ZodType<Row>;
  request(
    directory: DirectoryClient,
    page: { maxResults: number; pageToken?: string },
    transport: { signal: AbortSignal },
  ): Promise<{ data: unknown }>;
  isSelected(record: Row): boolean;
  toItem(record: Row): Item;
}

type ListName = 'users' | 'groups' | 'members';
type Page = { [Name in ListName]?: unknown[] } & { nextPageToken?: string };
type PageRequest = Parameters<DirectorySource['listUsers']>[0];

const customer = 'my_customer';

export function createDirectorySource({ connection, by, tokens, addresses }: DirectorySourceOptions): DirectorySource {
  /** The records per page: the most that Google allows, and fewer after a page was too large. */
  const pageSizes = { users: 500, groups: 200, members: 200 };
  let client: { accessToken: string; directory: DirectoryClient } | undefined;
  const users: List<UserRecord, ProviderUser> = {
    name: 'users',
    record: userSchema,
    request: (directory, page, transport) => directory.users.list({ customer, projection: 'full', orderBy: 'email', ...page }, transport),
    isSelected: createUserFilter(connection.orgUnits),
    toItem: toUser,
  };
  const groups: List<GroupRecord, ProviderGroup> = {
    name: 'groups',
    record: groupSchema,
    request: (directory, page, transport) => directory.groups.list({ customer, ...page }, transport),
    isSelected: createGroupFilter(connection.groups),
    toItem: toGroup,
  };

  return {
    listUsers: (request) => readPage(users, request),
    listGroups: (request) => readPage(groups, request),
    listMembers: (groupKey, request) =>
      readPage(
        {
          name: 'members',
          record: memberSchema,
          request: (directory, page, transport) => directory.members.list({ groupKey, ...page }, transport),
          isSelected: ({ type }) => isUserOrGroup(type),
          toItem: ({ id }) => ({ externalId: id! }),
        },
        request,
      ),
  };

  /** Reused until the token changes. */
  function clientFor(accessToken: string): DirectoryClient {
    if (client?.accessToken !== accessToken) client = { accessToken, directory: createDirectoryClient(accessToken, addresses) };
    return client.directory;
  }

  async function readPage<Row extends { id?: string | undefined }, Item>(
    list: List<Row, Item>,
    request: PageRequest,
  ): Promise<ProviderPage<Item>> {
    const maxResults = pageSizes[list.name];
    try {
      return await readPageOf(maxResults, list, request);
    } catch (error) {
      if (!(error instanceof ResponseTooLargeError) || maxResults === 1) throw error;
      pageSizes[list.name] = Math.min(pageSizes[list.name], Math.ceil(maxResults / 8));
      return readPage(list, request);
    }
  }

  async function readPageOf<Row extends { id?: string | undefined }, Item>(
    maxResults: number,
    list: List<Row, Item>,
    { pageToken, signal }: PageRequest,
  ): Promise<ProviderPage<Item>> {
    const page = { maxResults, ...(pageToken !== undefined && { pageToken }) };
    const context: RequestContext = { for: list.name, by, pageToken, timeoutMs: addresses.requestTimeoutMs };
    return toPage(list, await requestWithFreshToken());

    async function requestWithFreshToken(): Promise<unknown> {
      signal.throwIfAborted();
      const token = await orAborted(tokens.take(), signal);
      try {
        return await send(token);
      } catch (error) {
        if (!(error instanceof ProviderError) || error.kind !== 'unauthorized') throw error;
      }
      return send(await orAborted(tokens.take(token), signal));
    }

    async function send(accessToken: string): Promise<unknown> {
      try {
        const directory = clientFor(accessToken);
        const { data } = await withTimeout(addresses.requestTimeoutMs, signal, (ending) =>
          list.request(directory, page, { signal: ending }),
        );
        return parse(data);
      } catch (error) {
        signal.throwIfAborted();
        throw explainFailure(error, context);
      }
    }
  }
}

function parse(data: unknown): unknown {
  try {
    return parseResponse(String(data));
  } catch (error) {
    if (error instanceof ResponseTooLargeError) throw error;
    return data;
  }
}

function toPage<Row extends { id?: string | undefined }, Item>(
  { name, record: schema, isSelected, toItem }: List<Row, Item>,
  data: unknown,
): ProviderPage<Item> {
  const { [name]: listed = [], nextPageToken } = validateResponse(pageSchemas[name], data) as Page;
  const items = new Map<string | undefined, Item>();
  for (const [index, item] of listed.entries()) {
    const place = `${name}[${index}]`;
    const record = validateResponse(schema, sanitizeJson(item, place), place);
    if (isSelected(record)) items.set(record.id, toItem(record));
    else items.delete(record.id);
  }
  return { items: [...items.values()], listed: listed.length, ...(nextPageToken && { nextPageToken }) };
}
