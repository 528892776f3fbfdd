import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { packageRoot } from '../../src/paths.ts';
import { apiKey, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ METRICS_BY_DIRECTORY: 'true' });
});
afterAll(() => service.stop());

const read = (name: string) => readFileSync(join(packageRoot, 'deploy', name), 'utf8');

interface Rules {
  groups: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }[];
}
const rules = (parse(read('prometheus-alerts.yml')) as Rules).groups.flatMap((group) => group.rules);

interface Dashboard {
  panels: { title: string; targets: { expr: string }[] }[];
}
const { panels } = JSON.parse(read('grafana-dashboard.json')) as Dashboard;

const namesIn = (expressions: string[]) => new Set(expressions.join(' ').match(/\b(rollcall|process|nodejs)_\w+/g));

/** The names of all metrics, with those that a histogram adds. */
async function servedNames({ baseUrl } = service): Promise<Set<string>> {
  const response = await fetch(`${baseUrl}/metrics`, { headers: { authorization: `Api-Key ${apiKey}` } });
  const types = [...(await response.text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Set(
    types.flatMap(([, name, type]) => [
      name!,
      ...(type === 'histogram' ? ['_bucket', '_count', '_sum'].map((end) => `${name}${end}`) : []),
    ]),
  );
}

it.each([
  ['the alert rules', namesIn(rules.map(({ expr }) => expr))],
  ['the dashboard', namesIn(panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)))],
])('%s name only metrics that are served', async (_title, named) => {
  const served = await servedNames();
  expect(named.size).toBeGreaterThan(5);
  expect([...named].filter((name) => !served.has(name))).toEqual([]);
});

const ofOne = (names: Set<string>) => [...names].filter((name) => name.startsWith('rollcall_directory_'));

it('serves no metric of a single directory by default', async () => {
  expect(ofOne(await servedNames())).not.toEqual([]);
  const plain = await startTestService();
  try {
    const names = await servedNames(plain);
    expect([names.has('rollcall_directories'), ofOne(names)]).toEqual([true, []]);
  } finally {
    await plain.stop();
  }
});

it('each alert names a page and a heading that exist', () => {
  for (const { alert, annotations } of rules) {
    const [path = '', heading] = annotations['runbook']!.split('#');
    const text = readFileSync(join(packageRoot, path), 'utf8');
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
      title!
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, '')
        .replaceAll(' ', '-'),
    );
    expect([alert, heading === undefined || headings.includes(heading)]).toEqual([alert, true]);
  }
});
