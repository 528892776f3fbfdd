import { describe, expect, it } from '@jest/globals';
import { createBrowser } from '../support/browser.ts';
import type { FakeGoogle } from '../support/google/fake-google.ts';
import { useGoogleService } from '../support/google-service.ts';
import { toPulledDirectory } from '../support/pulled-directories.ts';
import type { TestService } from '../support/service.ts';

let google: FakeGoogle;
let service: TestService;
useGoogleService((started) => ({ google, service } = started), {}, { deliver: false });

async function createDirectory(fields: Record<string, unknown> = {}) {
  const { body } = await service.api('POST', '/api/v1/directory-sync', { tenant: 'acme', product: 'crm', type: 'google', ...fields });
  return toPulledDirectory(service, body.data.id);
}
type Directory = Awaited<ReturnType<typeof createDirectory>>;
const authorizeAddress = ({ id }: Directory) => `${service.baseUrl}/api/scim/oauth/authorize?directory_id=${id}`;
const isAuthorized = async (directory: Directory) => (await directory.get()).google_authorization === 'authorized';
async function consent(directory: Directory, browser = createBrowser()) {
  const { location } = await browser.openAndContinue(authorizeAddress(directory));
  return google.consent(location!);
}

describe('the page before the consent', () => {
  it('names tenant, product, directory and domain, escaped, and leads to Google only from there', async () => {
    const directory = await createDirectory({
      tenant: '<script>alert(1)</script>',
      product: `"' onclick=x`,
      name: '<b>Sales & Co</b>',
      google_domain: 'acme.example',
    });
    const browser = createBrowser();
    const page = await browser.open(authorizeAddress(directory));
    expect([page.status, page.headers.get('location')]).toEqual([200, null]);
    for (const text of [
      '<dd>&lt;script&gt;alert(1)&lt;/script&gt;</dd>',
      '<dd>&quot;&#39; onclick=x</dd>',
      '<dd>&lt;b&gt;Sales &amp; Co&lt;/b&gt;</dd>',
      '<dd>acme.example</dd>',
    ])
      expect(page.text).toContain(text);
    expect(page.text).not.toMatch(/<(script|b|form|iframe)\b/);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-security-policy': expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'/),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'set-cookie': expect.stringMatching(/^rollcall_consent=[\w-]{43}; Path=\/api\/scim\/oauth; Max-Age=600; HttpOnly; SameSite=Lax$/),
    });
    const on = await browser.open(page.link!);
    expect([on.status, on.location?.startsWith(google.addresses.authUrl)]).toEqual([302, true]);
  });

  it('responds to an invalid link with a page in a browser, and with JSON otherwise', async () => {
    const address = `${service.baseUrl}/api/scim/oauth/authorize`;
    for (const accept of [undefined, 'text/html,application/json', 'text/html, */*']) {
      const page = await createBrowser().open(address, accept);
      expect([page.status, page.headers.get('content-type'), page.text]).toEqual([
        400,
        'text/html; charset=utf-8',
        expect.stringContaining('<p>directory_id is required.</p>'),
      ]);
    }
    for (const accept of ['application/json', '*/*', 'application/json,text/html'])
      expect((await createBrowser().open(address, accept)).error).toMatchObject({ code: 'invalid_request', field: 'directory_id' });
  });

  it('sets a Secure cookie below the path of EXTERNAL_URL where that is https', async () => {
    const another = await service.startAnother({ EXTERNAL_URL: 'https://sync.example/rollcall' });
    try {
      const { id } = await createDirectory();
      const page = await createBrowser().open(`${another.baseUrl}/api/scim/oauth/authorize?directoryId=${id}`);
      expect(page.headers.get('set-cookie')).toMatch(/; Path=\/rollcall\/api\/scim\/oauth; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/);
    } finally {
      await another.stop();
    }
  });

  it('cannot be skipped by a link, and says so when the cookie is missing', async () => {
    const [directory, other] = [await createDirectory(), await createDirectory()];
    const attacker = createBrowser();
    const { link } = await attacker.open(authorizeAddress(directory));
    // The attacker's own link, in the browser of another person.
    const victim = createBrowser();
    const shown = await victim.open(link!);
    expect([shown.status, shown.location, shown.text]).toEqual([200, undefined, expect.stringMatching(/did not send our cookie back/)]);
    // Its cookie is not valid for another directory.
    const forged = new URL(link!);
    forged.searchParams.set('directory_id', other.id);
    expect((await attacker.open(forged.href)).status).toBe(200);
    expect((await victim.open(shown.link!)).status).toBe(302);
  });
});

describe('the callback', () => {
  it('fails in another browser with a page that says what to do, and changes nothing', async () => {
    const directory = await createDirectory();
    const browser = createBrowser();
    const location = await consent(directory, browser);
    for (const stranger of [createBrowser(), createBrowser()]) {
      if (stranger.cookies.size === 0) await stranger.open(authorizeAddress(await createDirectory()));
      const rejected = await stranger.open(location);
      expect([rejected.status, rejected.text]).toEqual([
        403,
        expect.stringMatching(/started in another browser, or its cookie is gone\. Nothing was changed\. Open the link again/),
      ]);
    }
    expect((await createBrowser().open(location)).status).toBe(403);
    expect(await isAuthorized(directory)).toBe(false);
    expect((await browser.open(location)).status).toBe(200);
    expect(await isAuthorized(directory)).toBe(true);
    expect((await browser.open(location)).status).toBe(403);
  });

  it.each([
    ['in their order', [0, 1]],
    ['in the other order', [1, 0]],
  ])('works for two open links in one browser, %s', async (_title, order) => {
    const directories = [await createDirectory(), await createDirectory()];
    const browser = createBrowser();
    const locations = [await consent(directories[0]!, browser), await consent(directories[1]!, browser)];
    for (const index of order) expect((await browser.open(locations[index]!)).status).toBe(200);
    for (const directory of directories) expect(await isAuthorized(directory)).toBe(true);
  });

  it('shows the consent page first for a link from the API, which only that browser can confirm', async () => {
    const directory = await createDirectory({ tenant: 'umbrella' });
    const { body } = await service.api('POST', `${directory.path}/google/authorization-url`);
    const location = await google.consent(body.data.authorizationUrl);
    const [attacker, person] = [createBrowser(), createBrowser()];
    const { link } = await attacker.open(location);
    const page = await person.open(link!);
    expect([page.status, page.text]).toEqual([200, expect.stringMatching(/<dd>umbrella<\/dd>/)]);
    expect(await isAuthorized(directory)).toBe(false);
    expect((await person.open(page.link!)).text).toMatch(/The directory is authorized/);
    expect(await isAuthorized(directory)).toBe(true);
  });
});

describe('exchanging a code without its state', () => {
  it.each([
    ['in their order', [0, 1, 2]],
    ['in the other order', [2, 1, 0]],
    ['one of them with its state', [1, 0, 2]],
  ])('works while several links are open: %s', async (title, order) => {
    const directory = await createDirectory();
    const links = await Promise.all(
      Array.from({ length: 3 }, async () => (await service.api('POST', `${directory.path}/google/authorization-url`)).body.data),
    );
    const states = links.map(({ authorizationUrl }) => new URL(authorizationUrl).searchParams.get('state'));
    expect(new Set(states).size).toBe(3);
    for (const [place, index] of order.entries()) {
      const code = new URL(await google.consent(links[index]!.authorizationUrl)).searchParams.get('code');
      const state = title.includes('with its state') && place === 0 ? states[index] : undefined;
      const exchanged = await service.api('POST', `${directory.path}/google/exchange`, { code, ...(state && { state }) });
      expect([index, exchanged.status, typeof exchanged.body.data?.refresh_token]).toEqual([index, 200, 'string']);
    }
  });

  it('is not affected by strangers who use the public link', async () => {
    const directory = await createDirectory();
    const { body } = await service.api('POST', `${directory.path}/google/authorization-url`);
    for (let count = 0; count < 30; count += 1) await createBrowser().openAndContinue(authorizeAddress(directory));
    const code = new URL(await google.consent(body.data.authorizationUrl)).searchParams.get('code');
    expect((await service.api('POST', `${directory.path}/google/exchange`, { code })).status).toBe(200);
    expect(await service.db('authorization_requests').where({ directory_id: directory.id })).toHaveLength(1);
  });
});
