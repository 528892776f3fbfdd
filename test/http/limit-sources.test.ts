import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { apiKey, startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const rules = `
volumetric:
  - { name: fingerprints, by: fingerprint, paths: ['/fingerprints/**'], limit: { rps: 2, rpm: 2 } }
  - { name: strangers, paths: ['/strangers/**'], authenticated: false, limit: { rps: 2, rpm: 2 } }
  - { name: whitelisted, paths: ['/whitelisted/**'], limit: { rps: 2, rpm: 2 }, whitelisted: { rps: 50, rpm: 100 } }
`;
const projects = [
  { id: 'grown', plan: 'growth', environment: 'production', whitelist: ['198.51.100.0/24', 'ja4:t13d1516h2'], api_keys: [apiKey] },
  { id: 'small', plan: 'production', environment: 'production' },
];

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: TestService;
let untrusting: Awaited<ReturnType<TestService['startAnother']>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  const [rulesFile, projectsFile] = [join(folder.path, 'rules.yaml'), join(folder.path, 'projects.json')];
  await Promise.all([writeFile(rulesFile, rules), writeFile(projectsFile, JSON.stringify(projects))]);
  service = await startTestService(
    { LIMITS_PLAN: 'growth', LIMITS_RULES_FILE: rulesFile, LIMITS_PROJECTS_FILE: projectsFile, TRUSTED_PROXIES: '127.0.0.0/8,10.0.0.0/8' },
    { deliver: false },
  );
  untrusting = await service.startAnother({ TRUSTED_PROXIES: '10.0.0.0/8' });
});
afterAll(async () => {
  await untrusting.stop();
  await service.stop();
  await folder[Symbol.asyncDispose]();
});

/** How many of five concurrent requests are allowed. */
async function countAllowed(
  path: string,
  headersOf: (index: number) => Record<string, string>,
  { baseUrl }: { baseUrl: string } = service,
) {
  const url = `${baseUrl}/api/v1/limits/decision${path}`;
  const responses = await Promise.all(Array.from({ length: 5 }, (_, index) => fetch(url, { method: 'POST', headers: headersOf(index) })));
  return responses.filter(({ status }) => status === 200).length;
}

const from = (address: string) => ({ 'x-forwarded-for': address });

const withFingerprint = (index: number) => ({ ...from(`192.0.2.${index}`), 'x-ja4-fingerprint': 't13d0000h1' });

it('counts a TLS fingerprint over all addresses, if a trusted proxy sends it', async () => {
  expect(await countAllowed('/fingerprints/a', withFingerprint)).toBe(2);
  expect(await countAllowed('/fingerprints/a', (index) => ({ ...withFingerprint(index), 'x-ja4-fingerprint': `other-${index}` }))).toBe(5);
  expect(
    await countAllowed('/fingerprints/b', (index) => ({ ...withFingerprint(index), authorization: `Api-Key ${apiKey}` }), untrusting),
  ).toBe(5);
});

it('uses the authentication header only from trusted proxies', async () => {
  const said = { ...from('192.0.2.30'), 'x-rollcall-authenticated': 'true' };
  expect(await countAllowed('/strangers/a', () => said)).toBe(5);
  expect(await countAllowed('/strangers/a', () => from('192.0.2.30'))).toBe(2);
  expect(await countAllowed('/strangers/a', () => ({ ...from('192.0.2.31'), 'x-rollcall-authenticated': 'false' }))).toBe(2);
});

it('allows more to whitelisted sources of Growth and Enterprise projects only', async () => {
  const grown = { 'x-rollcall-project': 'grown' };
  expect(await countAllowed('/whitelisted/a', () => ({ ...from('198.51.100.1'), ...grown }))).toBe(5);
  expect(await countAllowed('/whitelisted/a', () => ({ ...from('203.0.113.1'), ...grown }))).toBe(2);
  expect(await countAllowed('/whitelisted/a', () => ({ ...from('203.0.113.2'), ...grown, 'x-ja4-fingerprint': 't13d1516h2' }))).toBe(5);
  expect(await countAllowed('/whitelisted/a', () => ({ ...from('198.51.100.2'), 'x-rollcall-project': 'small' }))).toBe(2);
  const spoofed = { ...from('198.51.100.3'), 'x-ja4-fingerprint': 't13d1516h2', authorization: `Api-Key ${apiKey}` };
  expect(await countAllowed('/whitelisted/a', () => spoofed, untrusting)).toBe(2);
});
