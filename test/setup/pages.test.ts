import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { languageList, languages } from '../../src/http/setup/languages/languages.ts';
import { readAuditLog } from '../support/audit.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createLink, createPlainBrowser, linksPath, valuesOf, webhook, type TestLink } from '../support/setup-links.ts';
import { until } from '../support/until.ts';

let service: TestService;
let browser: ReturnType<typeof createPlainBrowser>;
beforeAll(async () => {
  const google = { DSYNC_GOOGLE_CLIENT_ID: 'client', DSYNC_GOOGLE_CLIENT_SECRET: 'secret' };
  service = await startTestService({ AUTH_FAILURES_PER_SOURCE: '100000', ...google }, { recordEveryMs: 20 });
  browser = createPlainBrowser(service);
});
afterAll(() => service.stop());

const directoryOf = async ({ tenant, product }: TestLink) =>
  (await service.api('GET', `/api/v1/dsync?tenant=${tenant}&product=${product}`)).body.data;

/** Sends a request as an identity provider, with the values that the page shows. */
async function push(endpoint: string, secret: string, path = '/Users', body: object = { userName: `${randomUUID()}@acme.example` }) {
  const { origin, pathname, search } = new URL(endpoint);
  const address = `${origin}${pathname.replace(/\/$/, '')}${path}${search}`;
  const response = await fetch(address, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/scim+json' },
    body: JSON.stringify(body),
  });
  return response.status;
}

const statusOf = ({ text }: { text: string }) => /<p class="state">(.*?)<\/p>/.exec(text)?.[1];

it('leads from the link to a connected directory, without JavaScript', async () => {
  const link = await createLink(service, { name: 'Acme', return_url: 'https://app.example/settings?a=1&b=2' });
  const first = await browser.open(link.url);
  expect([first.status, first.text]).toEqual([200, expect.stringContaining('value="okta-scim-v2"')]);
  expect(await directoryOf(link)).toEqual([]);
  const created = await browser.press(first, 'okta-scim-v2');
  expect(created.status).toBe(200);
  const { 'SCIM connector base URL': endpoint, Authorization: secret, ...others } = valuesOf(created);
  const [directory] = await directoryOf(link);
  expect([endpoint, secret]).toEqual([directory.scim.endpoint, directory.scim.secret]);
  expect(others).toMatchObject({ 'Unique identifier field for users': 'userName', 'Authentication Mode': 'HTTP Header' });
  // Each field has a button that copies, also one whose value is chosen.
  expect(created.text.match(/data-copy="/g)).toHaveLength(Object.keys(valuesOf(created)).length);
  expect(created.text).not.toContain('http-equiv="refresh"');
  const page = `${link.url}/directory-sync/${directory.id}`;
  const waiting = await browser.open(page);
  expect([statusOf(waiting), waiting.text]).toEqual(['Waiting for the first request', expect.stringContaining('http-equiv="refresh"')]);
  expect(waiting.text).not.toContain(secret!);
  expect(() => browser.press(waiting, 'finish')).toThrow('no button finish');
  expect(await push(endpoint!, secret!)).toBe(201);
  const connected = await until(async () => {
    const found = await browser.open(page);
    return statusOf(found) === 'Connected' && found;
  });
  expect(connected.text).toContain('Users: 1 · Groups: 0');
  expect(connected.text).toContain('http-equiv="refresh" content="60"');
  const done = await browser.press(connected, 'finish');
  expect([done.status, done.text]).toEqual([200, expect.stringContaining('href="https://app.example/settings?a=1&amp;b=2"')]);
  expect((await browser.open(link.url)).text).toContain(`/directory-sync/${directory.id}"`);
});

it('protects the address, and loads nothing from elsewhere', async () => {
  const link = await createLink(service);
  const page = await browser.open(link.url);
  expect(Object.fromEntries(page.headers)).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    'x-frame-options': 'DENY',
  });
  const policy = page.headers.get('content-security-policy')!;
  expect(policy).toMatch(
    /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  );
  expect(page.text).not.toMatch(/(src|href)="(https?:)?\/\//);
  for (const hidden of [link.tenant, ...Object.values(webhook)]) expect(page.text).not.toContain(hidden);
});

it('creates one directory however often the form is sent, and shows the secret once', async () => {
  const link = await createLink(service);
  const first = await browser.open(link.url);
  const responses = await Promise.all(Array.from({ length: 4 }, () => browser.press(first, 'onelogin-scim-v2')));
  expect(responses.map(({ status }) => status).sort((one, other) => one - other)).toEqual([200, 303, 303, 303]);
  const [{ id }, ...others] = await directoryOf(link);
  expect(others).toEqual([]);
  const again = responses.find(({ status }) => status === 303)!;
  expect(again.location).toBe(`/setup/${link.token}/directory-sync/${id}`);
});

it('creates a new secret: the previous one works for a day, or not at all if it was never used', async () => {
  const link = await createLink(service);
  const created = await browser.press(await browser.open(link.url), 'jumpcloud-scim-v2');
  const { 'Base URL': endpoint, 'Token Key': unused } = valuesOf(created);
  const second = valuesOf(await browser.press(created, 'secret'))['Token Key']!;
  expect([await push(endpoint!, unused!), await push(endpoint!, second)]).toEqual([401, 201]);
  const [{ id }] = await directoryOf(link);
  const page = `${link.url}/directory-sync/${id}`;
  await until(async () => statusOf(await browser.open(page)) === 'Connected');
  const shown = await browser.press(await browser.open(page), 'secret');
  const third = valuesOf(shown)['Token Key']!;
  expect([await push(endpoint!, second), await push(endpoint!, third)]).toEqual([201, 201]);
});

it('keeps a secret in use valid, however often a new one is created', async () => {
  const link = await createLink(service);
  const created = await browser.press(await browser.open(link.url), 'jumpcloud-scim-v2');
  const { 'Base URL': endpoint, 'Token Key': used } = valuesOf(created);
  expect(await push(endpoint!, used!)).toBe(201);
  const [{ id }] = await directoryOf(link);
  const page = `${link.url}/directory-sync/${id}`;
  await until(async () => statusOf(await browser.open(page)) === 'Connected');
  await until(async () => (await service.db('scim_secrets').where({ directory_id: id }).first('last_used_at')).last_used_at !== null);
  const deactivate = (deactivated: boolean) => service.api('PATCH', `/api/v1/dsync/${id}`, { deactivated });
  await deactivate(true);
  const deactivated = await browser.open(page);
  expect(deactivated.text).toContain('keeps working for 24 hours');
  let shown = deactivated;
  for (let count = 0; count < 7; count += 1) shown = await browser.press(shown, 'secret');
  await deactivate(false);
  expect([await push(endpoint!, used!), await push(endpoint!, valuesOf(shown)['Token Key']!)]).toEqual([201, 201]);
  const { rows } = await service.db.raw('select count(*) from scim_secrets where directory_id = ?', [id]);
  expect(Number(rows[0].count)).toBe(5);
});

it('offers no new secret where secrets are not accepted', async () => {
  const link = await createLink(service);
  const created = await browser.press(await browser.open(link.url), 'okta-scim-v2');
  expect(created.text).toContain('value="secret"');
  const [{ id }] = await directoryOf(link);
  expect((await service.api('PATCH', `/api/v1/dsync/${id}`, { accept_scim_secret: false })).status).toBe(200);
  expect((await browser.open(`${link.url}/directory-sync/${id}`)).text).not.toContain('value="secret"');
});

it('leads to paths below EXTERNAL_URL, on whatever host it was opened', async () => {
  const another = await service.startAnother({ EXTERNAL_URL: 'https://sync.example/rollcall' });
  try {
    const { token } = await createLink(service);
    const choose = () =>
      fetch(`${another.baseUrl}/setup/${token}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
        body: 'type=google',
        redirect: 'manual',
      });
    const location = (await choose()).headers.get('location')!;
    const [, id] = /^\/rollcall\/setup\/[0-9a-f]{48}\/directory-sync\/([^/]+)$/.exec(location)!;
    const { text } = await createPlainBrowser(another).open(`/setup/${token}/directory-sync/${id}`);
    expect(text).toContain(`href="/rollcall/api/scim/oauth/authorize?directoryId=${id}"`);
  } finally {
    await another.stop();
  }
});

it('explains what was rejected, and where to change it', async () => {
  const link = await createLink(service);
  const created = await browser.press(await browser.open(link.url), 'azure-scim-v2');
  const { 'Tenant URL': endpoint, 'Secret token': secret } = valuesOf(created);
  expect(endpoint).toMatch(/\/\?aadOptscim062020$/);
  const [{ id }] = await directoryOf(link);
  const page = () => browser.open(`${link.url}/directory-sync/${id}`);
  expect((await page()).text).not.toContain('class="note bad"');
  expect(await push(endpoint!, 'wrong')).toBe(401);
  const secretWasWrong = /The secret was wrong\. Check at Microsoft Entra ID, under <b translate="no">Provisioning<\/b>/;
  const wrong = await until(async () => {
    const found = await page();
    return secretWasWrong.test(found.text) && found;
  });
  expect(statusOf(wrong)).toBe('Waiting for the first request');
  expect(await push(endpoint!, secret!, '/Users', { userName: '' })).toBe(400);
  await until(async () => /A value was not accepted\. .* under <b translate="no">Attribute mapping<\/b>/.test((await page()).text));
  const user = { userName: 'ada@acme.example' };
  expect([await push(endpoint!, secret!, '/Users', user), await push(endpoint!, secret!, '/Users', user)]).toEqual([201, 409]);
  await until(async () => (await page()).text.includes('Two people or groups have the same unique value.'));
});

it('shows on the page of another process that a secret was rejected, until a request succeeds', async () => {
  const link = await createLink(service);
  const created = await browser.press(await browser.open(link.url), 'okta-scim-v2');
  const { 'SCIM connector base URL': endpoint, Authorization: secret } = valuesOf(created);
  const [{ id }] = await directoryOf(link);
  const another = await service.startAnother();
  try {
    const there = createPlainBrowser(another);
    const shows = async () => (await there.open(`/setup/${link.token}/directory-sync/${id}`)).text.includes('The secret was wrong.');
    expect(await shows()).toBe(false);
    const unknown = new URL(endpoint!);
    unknown.pathname = unknown.pathname.replace(id, randomUUID());
    expect(await push(unknown.href, 'wrong')).toBe(401);
    expect(await push(endpoint!, 'not-the-secret')).toBe(401);
    await until(shows);
    const stored = await service.db('directory_pushes').where({ directory_id: id }).first();
    expect([stored.last_push_at, stored.last_error, JSON.stringify(stored)]).toEqual([null, null, expect.not.stringContaining('not-the')]);
    expect((await service.api('GET', `/api/v1/dsync/${id}`)).body.data.health.status).toBe('waiting_for_first_push');
    expect(await push(endpoint!, secret!)).toBe(201);
    await until(async () => !(await shows()));
  } finally {
    await another.stop();
  }
});

it('leads to the consent of Google, and offers Google only where it is configured', async () => {
  const link = await createLink(service);
  const created = await browser.press(await browser.open(link.url), 'google');
  const [{ id }] = await directoryOf(link);
  expect([created.status, created.location]).toEqual([303, `/setup/${link.token}/directory-sync/${id}`]);
  const page = await browser.open(created.location!);
  expect([statusOf(page), page.text]).toEqual([
    'Waiting for your consent',
    expect.stringContaining(`href="/api/scim/oauth/authorize?directoryId=${id}" target="_blank" rel="noopener noreferrer"`),
  ]);
  expect(page.text).not.toContain('name="action" value="secret"');
  expect((await browser.open(`/api/scim/oauth/authorize?directoryId=${id}`)).status).toBe(200);
  const without = await service.startAnother({ DSYNC_GOOGLE_CLIENT_ID: '' });
  try {
    const { text } = await createPlainBrowser(without).open(`/setup/${link.token}`);
    expect([text.includes('value="google"'), text.includes('value="okta-scim-v2"')]).toEqual([false, true]);
  } finally {
    await without.stop();
  }
});

it('offers only the preset provider', async () => {
  const { text } = await browser.open((await createLink(service, { provider: 'okta-scim-v2' })).url);
  expect([...text.matchAll(/name="type" value="([^"]+)"/g)].map(([, type]) => type)).toEqual(['okta-scim-v2']);
});

it('presets no provider that it does not offer', async () => {
  const owner = { tenant: randomUUID(), product: randomUUID() };
  const preset = (provider: string) => service.api('POST', linksPath, { ...owner, ...webhook, provider });
  const created = await preset('google');
  expect(created.status).toBe(201);
  const { text } = await browser.open(created.body.data.url);
  expect((await browser.press({ text }, 'google')).status).toBe(303);
  for (const [provider, cause] of [
    ['entra', 'no Entra ID client is configured'],
    ['csv', 'setup links take no files'],
  ] as const) {
    const { status, body } = await preset(provider);
    const message = `provider cannot be ${provider}: ${cause}`;
    expect([status, body.error]).toEqual([400, expect.objectContaining({ code: 'invalid_request', field: 'provider', message })]);
  }
});

it('revokes the link on completion if `revoke_on_completion` is set', async () => {
  const link = await createLink(service, { revoke_on_completion: true, return_url: 'https://app.example/' });
  const { 'Base URL': endpoint, 'Bearer token': secret } = valuesOf(await browser.press(await browser.open(link.url), 'generic-scim-v2'));
  await push(endpoint!, secret!);
  const [{ id }] = await directoryOf(link);
  const page = await until(async () => {
    const found = await browser.open(`${link.url}/directory-sync/${id}`);
    return found.text.includes('value="finish"') && found;
  });
  // A double click, and a reload of the last page.
  const together = await Promise.all([browser.press(page, 'finish'), browser.press(page, 'finish')]);
  for (const { status, text } of [...together, await browser.press(page, 'finish')]) {
    expect([status, text]).toEqual([200, expect.stringContaining(languages.en.doneRevoked)]);
    expect(text).toContain('href="https://app.example/"');
  }
  // Every other request fails.
  for (const path of ['', `/directory-sync/${id}`]) expect((await browser.open(`${link.url}${path}`)).status).toBe(404);
  expect((await browser.press(page, 'secret')).status).toBe(404);
  const acts = (await readAuditLog(service, { tenant: link.tenant })).map(({ action }) => action);
  for (const once of ['setup_link.completed', 'setup_link.revoked']) expect(acts.filter((action) => action === once)).toHaveLength(1);
  expect(acts).not.toContain('directory.scim_secret_rotated');
  await service
    .db('setup_links')
    .where({ id: link.id })
    .update({ completed_at: new Date(Date.now() - 300_001) });
  expect((await browser.press(page, 'finish')).status).toBe(404);
  expect((await directoryOf(link)).length).toBe(1);
});

it('shows the same page for links that have expired, were revoked or never existed', async () => {
  const [expired, revoked] = [await createLink(service), await createLink(service)];
  await service
    .db('setup_links')
    .where({ id: expired.id })
    .update({ expires_at: new Date(Date.now() - 1_000) });
  await service.api('DELETE', `/api/v1/dsync/setuplinks?id=${revoked.id}`);
  const pages = [];
  for (const token of [expired.token, revoked.token, '0'.repeat(48), 'x'])
    for (const path of ['', `/directory-sync/${randomUUID()}`, '/nothing']) {
      // The OpenAPI document has no such path, so this response is not compared with it.
      const response = await fetch(new Request(`${service.baseUrl}/setup/${token}${path}`, { headers: { accept: 'text/html' } }));
      pages.push({ status: response.status, text: await response.text() });
    }
  expect(new Set(pages.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect([pages[0]!.status, pages[0]!.text]).toEqual([404, expect.stringContaining('This link does not work')]);
});

it('accepts forms from no other site, and changes nothing by GET or HEAD', async () => {
  const link = await createLink(service);
  const first = await browser.open(link.url);
  for (const site of ['cross-site', 'same-site'])
    expect((await browser.press(first, 'okta-scim-v2', { 'sec-fetch-site': site })).status).toBe(403);
  await browser.open(`${link.url}?type=okta-scim-v2`);
  await fetch(link.url, { method: 'HEAD' });
  expect(await directoryOf(link)).toEqual([]);
});

it('records acts with their actor in the audit log', async () => {
  const link = await createLink(service, { revoke_on_completion: true });
  const first = await browser.open(link.url);
  await browser.open(link.url);
  const created = await browser.press(first, 'generic-scim-v2');
  const { 'Base URL': endpoint, 'Bearer token': secret } = valuesOf(await browser.press(created, 'secret'));
  await push(endpoint!, secret!);
  const [{ id }] = await directoryOf(link);
  const page = await until(async () => {
    const found = await browser.open(`${link.url}/directory-sync/${id}`);
    return found.text.includes('value="finish"') && found;
  });
  await browser.press(page, 'finish');
  const entries = (await readAuditLog(service, { tenant: link.tenant })).filter(({ action }) => action !== 'directory.secrets_read');
  expect(entries.map(({ action }) => action).toReversed()).toEqual([
    'setup_link.created',
    'setup_link.opened',
    'directory.created',
    'directory.scim_secret_rotated',
    'setup_link.completed',
    'setup_link.revoked',
  ]);
  const actors = entries.map(({ actor }) => (actor as { type: string; id: string }).type);
  expect(actors.toReversed()).toEqual(['root_key', ...Array.from({ length: 5 }, () => 'administrator')]);
  // They also name the creator of the link.
  for (const { actor } of entries.slice(0, 5)) expect((actor as { name: string }).name).toMatch(/ \(root_key root_1\)$/);
  expect(JSON.stringify(entries)).not.toContain(link.token);
  expect(JSON.stringify(entries)).not.toContain(secret!);
});

describe('languages', () => {
  it('follow the browser, and the choice of the administrator through links and forms', async () => {
    const link = await createLink(service);
    expect((await browser.open(link.url, { 'accept-language': 'fr-CH, de;q=0.5' })).text).toContain('<html lang="fr">');
    expect((await browser.open(link.url, { 'accept-language': 'nl' })).text).toContain('<html lang="en">');
    const german = await browser.open(`${link.url}?lang=de`, { 'accept-language': 'fr' });
    expect(german.text).toContain(languages.de.chooseProvider);
    const created = await browser.press(german, 'okta-scim-v2', { 'accept-language': 'fr' });
    expect(created.text).toContain('<html lang="de">');
    expect((await browser.press(german, 'okta-scim-v2')).location).toMatch(/\?lang=de$/);
  });

  it.each(languageList)('%s shows every page', async (language) => {
    const link = await createLink(service);
    for (const type of ['okta-scim-v2', 'azure-scim-v2', 'onelogin-scim-v2', 'jumpcloud-scim-v2', 'generic-scim-v2']) {
      const created = await browser.press(await browser.open(`${link.url}?lang=${language}`), type);
      expect([created.status, created.text]).toEqual([200, expect.stringContaining(`<html lang="${language}">`)]);
      expect(created.text.replace(/<style>.*<\/script>/gs, '')).not.toMatch(/\*\*|undefined/);
    }
    expect((await browser.open(`/setup/x?lang=${language}`)).text).toContain(`<html lang="${language}">`);
  });
});
