import { type DirectoryProvider, type DirectorySource, ProviderError } from '../../directory/sync/provider.ts';
import { readAssignments } from './assignments.ts';
import { createDirectorySource } from './directory-source.ts';
import { createGraph } from './graph.ts';
import { createSelectedSource, type Selection } from './selected-source.ts';
import { type EntraOptions, readAddresses, readClient, readTenant, scopeOf } from './settings.ts';
import { createTenantTokens, type TenantTokens } from './tokens.ts';

/** Microsoft Entra ID through Microsoft Graph. The account of a directory is its tenant, which the application reads with its own secret. */
export function createEntraProvider(options: EntraOptions = {}): DirectoryProvider {
  const addresses = readAddresses(options);
  const client = readClient(options);
  const tokens: TenantTokens | undefined = 'missing' in client ? undefined : createTenantTokens(client, addresses);
  return {
    selectedBy: 'entra_groups or entra_assigned_only',
    checkSetup: () => ('missing' in client ? client.missing : undefined),
    readAccount: readTenant,

    authorizationUrl({ state, redirectUrl, connection }) {
      if ('missing' in client) throw new ProviderError('rejected', client.missing);
      // `organizations`: the tenant of whoever signs in.
      const tenant = connection.account || 'organizations';
      const query = { client_id: client.clientId, scope: scopeOf(addresses), redirect_uri: redirectUrl, state };
      return `${addresses.loginUrl}/${tenant}/v2.0/adminconsent?${new URLSearchParams(query).toString()}`;
    },

    exchangeCode: () => Promise.reject(new ProviderError('rejected', 'Microsoft Entra returns no code. Authorize again.')),

    open({ account, groups, assignedOnly }) {
      if ('missing' in client || !tokens) return createFailingSource('missing' in client ? client.missing : '');
      const graph = createGraph(account, tokens, addresses);
      if (assignedOnly)
        return createSelectedSource(
          graph,
          memoize((signal) => readAssignments(graph, client.clientId, signal)),
        );
      if (groups.length > 0) return createSelectedSource(graph, () => Promise.resolve({ groups, users: [] }));
      return createDirectorySource(graph);
    },
  };
}

/** Reads the selection once for all pages of a step. */
function memoize(select: (signal: AbortSignal) => Promise<Selection>) {
  let selected: Selection | undefined;
  return async (signal: AbortSignal) => (selected ??= await select(signal));
}

function createFailingSource(missing: string): DirectorySource {
  const fail = () => Promise.reject(new ProviderError('rejected', missing));
  return { listUsers: fail, listGroups: fail, listMembers: fail };
}
