import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { packageRoot } from '../../src/paths.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Returns how many rules there are. Throws if promtool rejects one. */
async function checkRules(path: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.env['PROMTOOL']!, ['check', 'rules', path]);
  return Number(/SUCCESS: (\d+) rules found/.exec(stdout)?.[1]);
}

const dashboard = JSON.parse(readFileSync(join(packageRoot, 'deploy/grafana-dashboard.json'), 'utf8')) as {
  panels: { targets: { expr: string }[] }[];
};

it('promtool accepts the alert rules', async () => {
  expect(await checkRules(join(packageRoot, 'deploy/prometheus-alerts.yml'))).toBeGreaterThan(0);
});

it('promtool accepts every expression of the dashboard', async () => {
  const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  await using folder = await temporaryFolder();
  // A dashboard is not a format that promtool reads: each expression becomes a rule. JSON is YAML.
  const rules = expressions.map((expr, at) => ({ record: `dashboard:expression:${at}`, expr }));
  await writeFile(folder.at('rules.yml'), JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  expect([expressions.length > 0, await checkRules(folder.at('rules.yml'))]).toEqual([true, expressions.length]);
});
