import type { z } from 'zod';
import {
  ProviderError,
  type HostedConnection,
  type HostedGroup,
  type HostedPage,
  type HostedSource,
  type HostedUser,
} from '../../directory/sync/provider.ts';
import { AnswerTooLarge } from './answer-too-large.ts';
import type { AccessTokens } from './access-tokens.ts';
import { groupRecord, isUserOrGroup, memberRecord, pageOf, readAnswer, userRecord, type GroupRecord, type UserRecord } from './answers.ts';
import type { Access } from './choose-access.ts';
import { createGroupChoice, createUserChoice } from './choose-records.ts';
import { cleanJson } from './clean-json.ts';
import { createDirectoryClient, type DirectoryClient } from './clients.ts';
import { explainFailure, type Asked } from './explain-failure.ts';
import { orAborted } from './or-aborted.ts';
import type { GoogleAddresses } from './settings.ts';
import { parseKeepingDigits } from './parse-answer.ts';
import { toGroup } from './to-group.ts';
import { toUser } from './to-user.ts';
import { withinTime } from './within-time.ts';

interface Reached {
  connection: Pick<HostedConnection, 'groups' | 'orgUnits'>;
  by: Access['by'];
  tokens: AccessTokens;
  addresses: GoogleAddresses;
}

interface List<Row, Item> {
  name: ListName;
  record: z.ZodType<Row>;
  ask(
    directory: DirectoryClient,
    page: { maxResults: number; pageToken?: string },
    transport: { signal: AbortSignal },
  ): Promise<{ data: unknown }>;
  isWanted(record: Row): boolean;
  toItem(record: Row): Item;
}

type ListName = 'users' | 'groups' | 'members';
type Page = { [Name in ListName]?: unknown[] } & { nextPageToken?: string };
type PageRequest = Parameters<HostedSource['listUsers']>[0];

const customer = 'my_customer';

export function createDirectorySource({ connection, by, tokens, addresses }: Reached): HostedSource {
  /** How many records a page has at most: what Google allows, and fewer once that was too much for us. */
  const sizes = { users: 500, groups: 200, members: 200 };
  let client: { accessToken: string; directory: DirectoryClient } | undefined;
  const users: List<UserRecord, HostedUser> = {
    name: 'users',
    record: userRecord,
    ask: (directory, page, transport) => directory.users.list({ customer, projection: 'full', orderBy: 'email', ...page }, transport),
    isWanted: createUserChoice(connection.orgUnits),
    toItem: toUser,
  };
  const groups: List<GroupRecord, HostedGroup> = {
    name: 'groups',
    record: groupRecord,
    ask: (directory, page, transport) => directory.groups.list({ customer, ...page }, transport),
    isWanted: createGroupChoice(connection.groups),
    toItem: toGroup,
  };

  return {
    listUsers: (request) => readPage(users, request),
    listGroups: (request) => readPage(groups, request),
    listMembers: (groupKey, request) =>
      readPage(
        {
          name: 'members',
          record: memberRecord,
          ask: (directory, page, transport) => directory.members.list({ groupKey, ...page }, transport),
          isWanted: ({ type }) => isUserOrGroup(type),
          toItem: ({ id }) => ({ externalId: id! }),
        },
        request,
      ),
  };

  /** The same for every request until the token is another one. */
  function clientFor(accessToken: string): DirectoryClient {
    if (client?.accessToken !== accessToken) client = { accessToken, directory: createDirectoryClient(accessToken, addresses) };
    return client.directory;
  }

  async function readPage<Row extends { id?: string | undefined }, Item>(
    list: List<Row, Item>,
    request: PageRequest,
  ): Promise<HostedPage<Item>> {
    const maxResults = sizes[list.name];
    try {
      return await readPageOf(maxResults, list, request);
    } catch (error) {
      if (!(error instanceof AnswerTooLarge) || maxResults === 1) throw error;
      sizes[list.name] = Math.min(sizes[list.name], Math.ceil(maxResults / 8));
      return readPage(list, request);
    }
  }

  async function readPageOf<Row extends { id?: string | undefined }, Item>(
    maxResults: number,
    list: List<Row, Item>,
    { pageToken, signal }: PageRequest,
  ): Promise<HostedPage<Item>> {
    const page = { maxResults, ...(pageToken !== undefined && { pageToken }) };
    const asked: Asked = { for: list.name, by, pageToken, timeoutMs: addresses.requestTimeoutMs };
    return toPage(list, await askTwice());

    async function askTwice(): Promise<unknown> {
      signal.throwIfAborted();
      const token = await orAborted(tokens.take(), signal);
      try {
        return await ask(token);
      } catch (error) {
        if (!(error instanceof ProviderError) || error.kind !== 'unauthorized') throw error;
      }
      return ask(await orAborted(tokens.take(token), signal));
    }

    async function ask(accessToken: string): Promise<unknown> {
      try {
        const directory = clientFor(accessToken);
        const { data } = await withinTime(addresses.requestTimeoutMs, signal, (ending) => list.ask(directory, page, { signal: ending }));
        return parse(data);
      } catch (error) {
        signal.throwIfAborted();
        throw explainFailure(error, asked);
      }
    }
  }
}

function parse(data: unknown): unknown {
  try {
    return parseKeepingDigits(String(data));
  } catch (error) {
    if (error instanceof AnswerTooLarge) throw error;
    return data;
  }
}

function toPage<Row extends { id?: string | undefined }, Item>(
  { name, record: schema, isWanted, toItem }: List<Row, Item>,
  data: unknown,
): HostedPage<Item> {
  const { [name]: listed = [], nextPageToken } = readAnswer(pageOf[name], data) as Page;
  const items = new Map<string | undefined, Item>();
  for (const [index, item] of listed.entries()) {
    const place = `${name}[${index}]`;
    const record = readAnswer(schema, cleanJson(item, place), place);
    if (isWanted(record)) items.set(record.id, toItem(record));
    else items.delete(record.id);
  }
  return { items: [...items.values()], listed: listed.length, ...(nextPageToken && { nextPageToken }) };
}
