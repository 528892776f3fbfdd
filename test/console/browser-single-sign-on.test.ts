import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openConsole, type ConsoleBrowser } from '../support/console.ts';
import { findFlaws } from '../support/find-flaws.ts';
import type { OpenIdServer } from '../support/openid-server.ts';
import { useOpenIdService } from '../support/openid-service.ts';
import type { TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let openId: OpenIdServer;
let service: TestService;
useOpenIdService((started) => ({ openId, service } = started));

let browser: ConsoleBrowser;
beforeAll(async () => {
  browser = await openConsole(service);
});
afterAll(() => browser?.stop());

/** Presses "Single sign-on", and waits for a page of Rollcall that shows a text. */
async function signIn(text: string) {
  const page = await browser.openPage();
  await page.open(`${service.baseUrl}/console/sign-in`);
  expect(await findFlaws(page)).toEqual([]);
  await page.use('Single sign-on');
  await until(async () => (await page.text()).includes(text));
  return page;
}

/** The provider is at another origin, and nothing else is. */
const problemsOf = ({ problems }: { problems: string[] }) =>
  problems.filter((problem) => !problem.startsWith(`foreign request: ${openId.issuer}/`));

it('signs in with single sign-on, and shows what the role may do', async () => {
  openId.state.person = { sub: 'ada', name: 'Ada Lovelace', groups: ['readers'] };
  const page = await signIn('There is no directory yet');
  expect(await page.evaluate('location.pathname')).toBe('/console');
  await page.open(`${service.baseUrl}/console/account`);
  await until(async () => (await page.text()).includes('Ada Lovelace'));
  expect(await page.text()).toMatch(/Role\s+viewer/);
  expect(await page.text()).not.toContain('API keys');
  expect(problemsOf(page)).toEqual([]);
  await page.use('Sign out');
  await until(async () => (await page.evaluate<string>('location.pathname')) === '/console/sign-in');
});

it('shows a person without a role why there is no session', async () => {
  openId.state.person = { sub: 'mallory', name: 'Mallory', groups: ['strangers'] };
  const page = await signIn('You are not in a group that may sign in here');
  expect(await page.evaluate('location.pathname')).toBe('/console/callback');
  expect(await findFlaws(page)).toEqual([]);
  expect(problemsOf(page)).toEqual([]);
  await page.open(`${service.baseUrl}/console`);
  await until(async () => (await page.evaluate<string>('location.pathname')) === '/console/sign-in');
});
