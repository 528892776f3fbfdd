import type { RenewedTokens } from '../../directory/sync/provider.ts';

export interface AccessTokens {
  /** One that is not the spent one, and will be good for a while as far as anybody knows. */
  take(spent?: string): Promise<string>;
}

const reserveMs = 60_000;

/** Whoever needs a new token while one is fetched waits for that one; nobody gets it before it was handed to `onRenewed`. */
export function createAccessTokens(
  first: Pick<RenewedTokens, 'accessToken' | 'expiresAt'>,
  { renew, onRenewed }: { renew(): Promise<RenewedTokens>; onRenewed(tokens: RenewedTokens): Promise<void> },
): AccessTokens {
  let current = first;
  let renewing: Promise<string> | undefined;

  return {
    async take(spent) {
      if (isGood(spent)) return current.accessToken;
      renewing ??= renewAll().finally(() => (renewing = undefined));
      return renewing;
    },
  };

  function isGood(spent: string | undefined): boolean {
    const { accessToken, expiresAt } = current;
    return accessToken !== '' && accessToken !== spent && (expiresAt === undefined || expiresAt.getTime() - reserveMs > Date.now());
  }

  async function renewAll(): Promise<string> {
    const renewed = await renew();
    await onRenewed(renewed);
    current = renewed;
    return renewed.accessToken;
  }
}
