import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createProjects } from '../../src/limits/projects.ts';
import { readRules } from '../../src/limits/rules.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(async () => {
  await folder[Symbol.asyncDispose]();
});

async function file(name: string, text: string): Promise<string> {
  const path = join(folder.path, name);
  await writeFile(path, text);
  return path;
}

/** The message without the folder. */
function problemsOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    return (error as Error).message.replaceAll(`${folder.path}/`, '');
  }
  throw new Error('the file was not rejected');
}

describe('rules file', () => {
  it('may be YAML or JSON, and uses the defaults for what it omits', async () => {
    const yaml = `
# More is never needed.
volumetric:
  - name: few
    paths: ['/self-service/**']
    authenticated: false
    sources: [192.0.2.0/24]
    limit: { rps: 1, rpm: 5 }
`;
    const json = '{"inflight": [{"name": "users", "methods": ["POST"], "path": "/users"}], "lease_seconds": 5}';
    expect(readRules(await file('rules.yaml', yaml))).toMatchObject({
      volumetric: [{ name: 'few', by: 'address', action: 'enforce', limit: { rps: 1, rpm: 5 } }],
      inflight: readRules(undefined).inflight,
    });
    expect(readRules(await file('rules.json', json))).toMatchObject({
      volumetric: readRules(undefined).volumetric,
      inflight: [{ name: 'users', by: 'path', action: 'enforce' }],
      lease_seconds: 5,
    });
  });

  it('is rejected with file, line and field for every problem', async () => {
    const path = await file(
      'bad.yaml',
      `volumetric:
  - name: few
    limit:
      rps: 0
      rpm: 5
    path: ['/a']
  - name: few
    action: log
    sources: [localhost]
    limit: { rps: 1, rpm: 5 }
inflight:
  - name: identities
    methods: [post]
    path: admin/identities
`,
    );
    expect(problemsOf(() => readRules(path)).split('\n')).toEqual([
      'bad.yaml:4: volumetric[0].limit.rps must be a whole number above 0',
      'bad.yaml:6: volumetric[0].path is not a known field',
      'bad.yaml:8: volumetric[1].action must be enforce or report',
      'bad.yaml:9: volumetric[1].sources[0] must be a network like 192.0.2.0/24',
      'bad.yaml:13: inflight[0].methods[0] must be a method in capitals',
      'bad.yaml:14: inflight[0].path must be a path like /scim/** or *',
    ]);
  });

  it('is rejected if it cannot be read', async () => {
    const broken = await file('broken.yaml', 'volumetric:\n  - name: few\n   limit: [1\n');
    expect(problemsOf(() => readRules(broken))).toMatch(/^broken\.yaml:3: /);
    const repeated = await file('repeated.json', '{"volumetric": [],\n "volumetric": []}');
    expect(problemsOf(() => readRules(repeated))).toMatch(/^repeated\.json:2: Map keys must be unique/);
    expect(problemsOf(() => readRules(join(folder.path, 'none.yaml')))).toMatch(/^none\.yaml can't be read: ENOENT/);
    const empty = await file('empty.yaml', '');
    expect(problemsOf(() => readRules(empty))).toMatch(/^empty\.yaml:1: The file must hold/);
  });
});

const keyOf = (name: string) => name.padStart(32, '0');

describe('projects file', () => {
  it('names projects by ID and by key, in addition to the deployment’s own', async () => {
    const path = await file(
      'projects.json',
      JSON.stringify([
        { id: 'acme', plan: 'scale', environment: 'production', whitelist: ['10.0.0.0/8', 'ja4:abc'], api_keys: ['1', '2'].map(keyOf) },
        { id: 'beta', plan: 'developer', environment: 'staging' },
      ]),
    );
    const projects = createProjects({ plan: 'production', environment: 'staging', file: path });
    expect(projects.own).toMatchObject({ id: 'default', plan: 'production', environment: 'staging' });
    expect(projects.get('beta')).toMatchObject({ plan: 'developer' });
    expect(projects.get('nobody')).toBeUndefined();
    expect(projects.ofApiKey(keyOf('2'))).toBe(projects.get('acme'));
    expect(projects.ofApiKey(keyOf('3'))).toBeUndefined();
    const acme = projects.get('acme')!;
    expect(acme.isWhitelisted({ address: '10.1.2.3' })).toBe(true);
    expect(acme.isWhitelisted({ address: '::ffff:10.1.2.3' })).toBe(true);
    expect(acme.isWhitelisted({ address: '11.1.2.3' })).toBe(false);
    expect(acme.isWhitelisted({ address: '11.1.2.3', fingerprint: 'abc' })).toBe(true);
  });

  it('may replace buckets of an enterprise project with negotiated ones', async () => {
    const overrides = [
      { bucket: '/scim/**', rps: 100, rpm: 3_000 },
      { bucket: 'POST /scim/v2/Bulk', rps: 1, rpm: 5 },
    ];
    const path = await file('enterprise.json', JSON.stringify([{ id: 'big', plan: 'enterprise', environment: 'production', overrides }]));
    const big = createProjects({ plan: 'developer', environment: 'production', file: path }).get('big')!;
    expect(big.buckets).toContainEqual({ bucket: '/scim/**', rps: 100, rpm: 3_000 });
    expect(big.buckets.at(-1)).toEqual({ bucket: '*', rps: 800, rpm: 18_000 });
    expect(big.bucketsOf('POST', '/scim/v2/Bulk')).toEqual([overrides[1]]);
    expect(big.bucketsOf('GET', '/scim/v2/Bulk')).toEqual([overrides[0]]);
    const shouted = await file(
      'shouted.json',
      JSON.stringify([{ id: 'big', plan: 'enterprise', environment: 'production', overrides: [{ bucket: '/SCIM/**', rps: 7, rpm: 9 }] }]),
    );
    const loud = createProjects({ plan: 'developer', environment: 'production', file: shouted }).get('big')!;
    expect(loud.bucketsOf('GET', '/scim/x')).toMatchObject([{ rps: 7, rpm: 9 }]);
    expect(loud.buckets).toHaveLength(big.buckets.length - 1);
  });

  it('is rejected with file, line and field for every problem, without a key', async () => {
    const path = await file(
      'bad.json',
      `[
  {"id": "a", "plan": "gold", "environment": "production"},
  {"id": "b", "plan": "production", "environment": "production",
   "whitelist": ["10.0.0.0/8"], "overrides": [{"bucket": "*", "rps": 1, "rpm": 1}]},
  {"id": "c", "plan": "growth", "environment": "test", "whitelist": ["10.0.0.1"]},
  {"id": "d", "plan": "enterprise", "environment": "production", "overrides": [{"bucket": "scim", "rps": 1.5, "rpm": 1}]},
  {"id": "e", "plan": "growth", "environment": "production", "api_keys": ["${keyOf('e')}", "${keyOf('e').slice(1)}"]}
]`,
    );
    expect(problemsOf(() => createProjects({ plan: 'developer', environment: 'production', file: path })).split('\n')).toEqual([
      'bad.json:2: [0].plan must be one of developer, production, growth, enterprise, essential, scale',
      'bad.json:4: [1].whitelist requires the plan growth or enterprise',
      'bad.json:4: [1].overrides require the plan enterprise',
      'bad.json:5: [2].environment must be one of production, staging, development',
      'bad.json:5: [2].whitelist[0] must be a network like 192.0.2.0/24, or ja3:… or ja4:…',
      'bad.json:6: [3].overrides[0].bucket must be a bucket like /scim/** or POST /admin/recovery/*',
      'bad.json:6: [3].overrides[0].rps must be a whole number above 0',
      'bad.json:7: [4].api_keys must be keys of at least 32 characters each; create one with `openssl rand -hex 32`',
    ]);
    const twice = await file(
      'twice.json',
      `[{"id": "a", "plan": "growth", "environment": "production", "api_keys": ["${keyOf('7')}"]},
 {"id": "a", "plan": "growth", "environment": "production", "api_keys": ["${keyOf('7')}"]}]`,
    );
    const problems = problemsOf(() => createProjects({ plan: 'developer', environment: 'production', file: twice }));
    expect(problems.split('\n')).toEqual([
      'twice.json:2: [1].id is also the ID of another project',
      'twice.json:2: [1].api_keys contains a key of another project',
    ]);
  });
});
