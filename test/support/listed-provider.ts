import { ProviderError, type ProviderMember, type ProviderPage, type DirectoryProvider } from '../../src/directory/sync/provider.ts';
import type { group, user } from './sync-stores.ts';

export interface ListedProvider extends DirectoryProvider {
  users: ReturnType<typeof user>[];
  groups: ReturnType<typeof group>[];
  members: Map<string, string[]>;
  /** Thrown by the next list. */
  failure: ProviderError | undefined;
  missing: string | undefined;
}

/** A provider with lists in memory, in pages of two. */
export function createListedProvider(): ListedProvider {
  const listed: ListedProvider = {
    users: [],
    groups: [],
    members: new Map(),
    failure: undefined,
    missing: undefined,
    selectedBy: 'google_groups or google_org_units',
    checkSetup: () => listed.missing,
    authorizationUrl: ({ state, redirectUrl }) => `${redirectUrl}?code=granted&state=${encodeURIComponent(state)}`,
    async exchangeCode({ code, codeVerifier }) {
      if (code !== 'granted' || codeVerifier === undefined) throw new ProviderError('rejected', 'Invalid code.');
      return { access_token: 'access', refresh_token: 'refresh', scope: 'all', token_type: 'Bearer', expiry_date: 1e12 };
    },
    open: ({ accessToken }, { onRenewed }) => ({
      async listUsers({ pageToken }) {
        if (accessToken === 'access') await onRenewed({ accessToken: 'renewed', expiresAt: undefined, refreshToken: 'rotated' });
        return list(listed.users, pageToken);
      },
      listGroups: async ({ pageToken }) => list(listed.groups, pageToken),
      async listMembers(groupExternalId, { pageToken }) {
        const members = (listed.members.get(groupExternalId) ?? []).map((externalId): ProviderMember => ({ externalId }));
        return list(members, pageToken);
      },
    }),
  };
  return listed;

  function list<Item>(items: Item[], pageToken = '0'): ProviderPage<Item> {
    const { failure } = listed;
    listed.failure = undefined;
    if (failure) throw failure;
    const from = Number(pageToken);
    const found = items.slice(from, from + 2);
    return { items: found, listed: found.length, ...(from + 2 < items.length && { nextPageToken: String(from + 2) }) };
  }
}
