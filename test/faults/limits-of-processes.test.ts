import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { spawnRollcall, type RunningRollcall } from '../support/process.ts';
import { everyRound } from '../support/rounds.ts';
import { until } from '../support/until.ts';

let installation: Installation;
beforeAll(async () => {
  installation = await createInstallation({
    env: { LIMITS_PLAN: 'production', LIMITS_STORE: 'postgres', LIMITS_RULES_FILE: 'rules.yaml', TRUSTED_PROXIES: '127.0.0.0/8' },
  });
  await writeFile(join(installation.folder, 'rules.yaml'), 'lease_seconds: 6\n');
}, 240_000);
afterAll(() => installation.remove());

const startApi = async () => installation.start({ command: ['api'], env: { PORT: String(await findFreePort()) } });
const decide = async ({ baseUrl }: RunningRollcall, path: string) =>
  fetch(`${baseUrl}/api/v1/limits/decision${path}`, { method: 'POST', headers: { 'x-forwarded-for': '192.0.2.1' } });

// If the machine stalls for half a second, the store fails open, and the process logs it.
const isUnlimited = (processes: RunningRollcall[]) =>
  processes.some((process) => process.output().includes('limit store failed; requests are not limited'));

it('three processes enforce one limit together', async () => {
  const processes = await Promise.all([startApi(), startApi(), startApi()]);
  let allowed = 0;
  await until(
    async () => {
      const responses = await Promise.all(processes.map((process) => decide(process, '/admin/recovery/code')));
      allowed += responses.filter(({ status }) => status === 200).length;
      return allowed >= 30;
    },
    { timeoutMs: 30_000 },
  );
  expect(allowed).toBeGreaterThanOrEqual(30);
  expect(isUnlimited(processes) || allowed === 30).toBe(true);
  for (const process of processes) await until(async () => (await decide(process, '/admin/recovery/code')).status === 429);
  await Promise.all(processes.map((process) => process.kill()));
}, 240_000);

it.each(everyRound)(
  'leases of a killed process expire, round %i',
  async () => {
    const processes = await Promise.all([startApi(), startApi(), startApi()]);
    const [first, second, third] = processes;
    // The lease of an earlier round may not have expired.
    await until(async () => (await decide(first, '/admin/identities')).status === 200);
    await first.kill();
    expect([429, isUnlimited(processes) && 200]).toContain((await decide(second, '/admin/identities')).status);
    await until(async () => (await decide(second, '/admin/identities')).status === 200);
    expect([429, isUnlimited(processes) && 200]).toContain((await decide(third, '/admin/identities')).status);
    await Promise.all([second.kill(), third.kill()]);
  },
  240_000,
);

it.each([
  ['an invalid rule', { LIMITS_RULES_FILE: 'bad.yaml' }, /^bad\.yaml:4: volumetric\[0\]\.limit\.rps must be a whole number above 0$/m],
  ['a missing file', { LIMITS_PROJECTS_FILE: 'none.json' }, /^none\.json can't be read: ENOENT/m],
])('does not start with %s, and reports the reason', async (_, env, words) => {
  await writeFile(join(installation.folder, 'bad.yaml'), 'volumetric:\n  - name: few\n    limit:\n      rps: 0\n      rpm: 1\n');
  const spawned = spawnRollcall({ command: ['api'], env: { ...installation.env, ...env }, folder: installation.folder });
  expect((await spawned.exited).code).toBe(1);
  expect(spawned.output()).toMatch(words);
});
