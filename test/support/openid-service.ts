import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import type { CookieBrowser } from './cookie-browser.ts';
import { openIdSecret, startOpenIdServer, type OpenIdServer } from './openid-server.ts';
import { startTestService, type TestService } from './service.ts';

export const openIdClient = 'rollcall';

interface OpenIdService {
  openId: OpenIdServer;
  service: TestService;
  /** Goes to the provider, and returns the address to which it sends the browser back. */
  comeBack(browser: CookieBrowser): Promise<string>;
}

/** A service with an OpenID provider, at which Ada signs in. It has the three roles. */
export function useOpenIdService(onStarted: (started: OpenIdService) => void): void {
  let openId: OpenIdServer;
  let service: TestService;
  beforeAll(async () => {
    openId = await startOpenIdServer();
    service = await startTestService(
      {
        AUTH_FAILURES_PER_SOURCE: '100000',
        OIDC_ISSUER: openId.issuer,
        OIDC_CLIENT_ID: openIdClient,
        OIDC_CLIENT_SECRET: openIdSecret,
        OIDC_ROLES: 'sync-admins=admin, support=operator, readers=viewer',
      },
      { deliver: false },
    );
    const callback = `${service.baseUrl}/console/callback`;
    await openId.register({ clientId: openIdClient, redirectUri: callback });
    onStarted({
      openId,
      service,
      async comeBack(browser) {
        const { location } = await browser.follow('/console/sign-in/oidc', (to) => !to.startsWith(callback));
        expect(location).toMatch(callback);
        return location!;
      },
    });
  });
  afterAll(async () => {
    await service?.stop();
    await openId?.stop();
  });
  beforeEach(() => {
    Object.assign(openId.state, {
      person: { sub: 'ada', name: 'Ada Lovelace', groups: ['staff', 'sync-admins'] },
      alterClaims: undefined,
      forgesSignature: false,
      denies: false,
    });
  });
}
