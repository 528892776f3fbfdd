import { ProviderError, type DirectoryProvider, type DirectorySource } from '../../directory/sync/provider.ts';
import { createAccessTokens, createTokenRenewal } from './access-tokens.ts';
import { selectAccess } from './select-access.ts';
import { createConsent } from './consent.ts';
import { createDirectorySource } from './directory-source.ts';
import { readAddresses, type GoogleOptions } from './settings.ts';

/** Google Workspace through the Directory API of the Admin SDK. */
export function createGoogleProvider(options: GoogleOptions = {}): DirectoryProvider {
  const addresses = readAddresses(options);
  return {
    checkSetup(connection) {
      const access = selectAccess(connection, options);
      return 'missing' in access ? access.missing : undefined;
    },
    ...createConsent(options, addresses),
    open(connection, { onRenewed }) {
      const access = selectAccess(connection, options);
      if ('missing' in access) return createFailingSource(access.missing);
      const isConsent = access.by === 'consent';
      const tokens = createAccessTokens(
        isConsent
          ? { accessToken: connection.accessToken, expiresAt: connection.accessTokenExpiresAt }
          : { accessToken: '', expiresAt: undefined },
        {
          renew: createTokenRenewal(access, connection.refreshToken, addresses),
          // A service account's tokens are not part of the stored authorization.
          onRenewed: isConsent ? onRenewed : async () => undefined,
        },
      );
      return createDirectorySource({ connection, by: access.by, tokens, addresses });
    },
  };
}

function createFailingSource(missing: string): DirectorySource {
  const fail = () => Promise.reject(new ProviderError('rejected', missing));
  return { listUsers: fail, listGroups: fail, listMembers: fail };
}
