import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { parse } from 'yaml';
import { packageRoot } from '../src/paths.ts';
import { startPostgres } from '../src/embedded/postgres.ts';
import { openDatabase } from '../src/store/database.ts';
import { allocator } from './support/hostile/service.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

interface Service {
  image?: string;
  build?: string;
  command?: string[];
  user?: string;
  restart?: string;
  ports?: string[];
  volumes?: string[];
  environment?: Record<string, string | null>;
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
}

const read = (name: string) => readFileSync(join(packageRoot, name), 'utf8');
const composition = parse(read('docker-compose.yml'), { merge: true }) as { services: Record<string, Service>; volumes: object };
const { services } = composition;
const ours = ['api', 'worker', 'migrate'];

it('runs the API, the worker, one migration, Postgres, Temporal and its UI', () => {
  expect(Object.keys(services).sort()).toEqual(['api', 'migrate', 'postgres', 'temporal', 'temporal-ui', 'worker']);
  expect(ours.map((name) => services[name]!.command)).toEqual([['api'], ['worker'], ['migrate']]);
  expect(services['temporal']!.environment).toMatchObject({ DB: 'postgres12', POSTGRES_SEEDS: 'postgres', DBNAME: 'temporal' });
});

it('starts each service after its dependencies are healthy, and restarts it when it fails', () => {
  for (const [name, { healthcheck, restart }] of Object.entries(services)) {
    expect([name, restart]).toEqual([name, name === 'migrate' ? 'on-failure' : 'unless-stopped']);
    expect([name, healthcheck !== undefined]).toEqual([name, name !== 'migrate']);
  }
  expect(services['api']!.depends_on).toMatchObject({ migrate: { condition: 'service_completed_successfully' } });
  expect(services['worker']!.healthcheck!.test.join(' ')).toContain('/health/ready');
  expect(services['migrate']!.depends_on).toMatchObject({
    postgres: { condition: 'service_healthy' },
    temporal: { condition: 'service_healthy' },
  });
});

it('keeps the data in a volume, and publishes its ports only on this machine by default', () => {
  expect(services['postgres']!.volumes).toContain('postgres:/var/lib/postgresql');
  expect(composition.volumes).toHaveProperty('postgres');
  const ports = Object.values(services).flatMap((service) => service.ports ?? []);
  expect(ports).toHaveLength(2);
  for (const port of ports) expect(port).toMatch(/^(\$\{ROLLCALL_BIND:-127\.0\.0\.1\}|127\.0\.0\.1):/);
});

/**
 * Set by the file: addresses and ports inside the network, its own Postgres without a pooler or a replica,
 * Temporal beside it, and a disk that is not Rollcall's.
 */
const fixedInContainers =
  /^(DATABASE_(POOLER|READ_URL|READ_MAX_LAG_MS)|HOST|PORT|METRICS_HOST|METRICS_PORT|ROLLCALL_DATA_DIR|MIN_FREE_DISK_BYTES|LOW_DISK_BYTES(_PER_DIRECTORY)?|TEMPORAL_(BINARY|NAMESPACE|UI_PORT|API_KEY|TLS(_[A-Z_]+)?))$/;

it('passes every setting to Rollcall, except those that containers set themselves', () => {
  const known = [...read('.env.example').matchAll(/^#? ?([A-Z][A-Z_]+)=/gm)].map(([, name]) => name!);
  const passed = known.filter((name) => !fixedInContainers.test(name)).sort();
  for (const name of ours) expect(Object.keys(services[name]!.environment!).sort()).toEqual(passed);
  expect(known.filter((name) => fixedInContainers.test(name))).toHaveLength(20);
});

it('gives Rollcall the heap that its limits assume, in a container twice as large', () => {
  for (const [name, value] of Object.entries(allocator)) expect(read('Dockerfile')).toMatch(new RegExp(`^ENV .*${name}=${value}`, 'm'));
  expect(read('Dockerfile')).toMatch(/^ENV .*NODE_OPTIONS=--max-old-space-size=512$/m);
  expect(read('package.json')).toContain(String.raw`NODE_OPTIONS=\"--max-old-space-size=512 $NODE_OPTIONS\" node dist/src/main.js start`);
  for (const name of ours) expect(services[name]).toMatchObject({ mem_limit: '1g' });
});

it('runs Rollcall as an ordinary user, without development packages', () => {
  const dockerfile = read('Dockerfile');
  expect(dockerfile.match(/^USER .*/gm)).toEqual(['USER node']);
  expect(dockerfile).toContain('npm ci --omit=dev --omit=optional');
  for (const name of ours) {
    expect(services[name]).not.toHaveProperty('user');
    expect(services[name]).toMatchObject({ read_only: true, tmpfs: ['/tmp'], cap_drop: ['ALL'] });
  }
});

it('pins every image by its digest', () => {
  const images = [
    ...[...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image!),
    ...Object.values(services).flatMap(({ build, image }) => (build ? [] : [image!])),
  ];
  expect(images).toHaveLength(6);
  for (const image of images) expect(image).toMatch(/^[\w/-]+:\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/);
});

it('keeps closed workflows in Temporal for an hour, because it shares the disk', () => {
  expect(services['temporal']!.environment).toMatchObject({ DEFAULT_NAMESPACE_RETENTION: '1h' });
});

it('has no default passwords: each must be set', () => {
  expect(read('docker-compose.yml').match(/\w*PASSWORD:-/g)).toBeNull();
  for (const name of ['POSTGRES_PASSWORD', 'TEMPORAL_POSTGRES_PASSWORD'])
    expect(read('docker-compose.yml')).toContain(`\${${name}:?Put ${name} into .env: `);
});

it('gives Temporal its own role, which owns its databases and cannot connect to that of Rollcall', async () => {
  expect(services['temporal']!.environment).toMatchObject({
    POSTGRES_USER: 'temporal',
    DBNAME: 'temporal',
    VISIBILITY_DBNAME: 'temporal_visibility',
    SKIP_DB_CREATE: 'true',
  });
  const script = read('scripts/compose/create-temporal-role.sh');
  const statements = /<<'SQL'\n(.*)SQL\n/s.exec(script)![1]!.replace(":'password'", "'of-temporal'").split(';\n').filter(Boolean);
  await using folder = await temporaryFolder();
  const postgres = await startPostgres({ dataDir: folder.at('postgres'), password: 'test' });
  const opened: Knex[] = [];
  const as = (user: string, password: string, database: string) => {
    const db = openDatabase(`postgres://${user}:${password}@127.0.0.1:${postgres.port}/${database}`);
    opened.push(db);
    return db;
  };
  try {
    const admin = as('postgres', 'test', 'postgres');
    await admin.raw('create database rollcall');
    for (const statement of statements) await admin.raw(statement);
    for (const database of ['temporal', 'temporal_visibility']) {
      await as('temporal', 'of-temporal', database).raw('create extension if not exists btree_gin');
      await as('temporal', 'of-temporal', database).raw('create table known (id int)');
    }
    for (const database of ['rollcall', 'postgres'])
      await expect(as('temporal', 'of-temporal', database).raw('select 1')).rejects.toThrow('permission denied for database');
  } finally {
    await Promise.all(opened.map((db) => db.destroy()));
    await postgres.stop();
  }
}, 180_000);

function compose(env: NodeJS.ProcessEnv) {
  return spawnSync('docker', ['compose', '--env-file', '/dev/null', 'config', '--quiet'], {
    cwd: packageRoot,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    encoding: 'utf8',
  });
}

it('is accepted by docker compose, if it is installed, which reports missing keys', () => {
  if (spawnSync('docker', ['compose', 'version']).status !== 0) return;
  const names = ['API_KEYS', 'ENCRYPTION_KEYS', 'POSTGRES_PASSWORD', 'TEMPORAL_POSTGRES_PASSWORD'];
  const all = Object.fromEntries(names.map((name) => [name, 'value']));
  expect(compose(all)).toMatchObject({ status: 0, stderr: '' });
  for (const name of names) expect(compose({ ...all, [name]: '' }).stderr).toContain(name);
});
