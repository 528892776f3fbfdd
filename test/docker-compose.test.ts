import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';

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

const root = join(import.meta.dirname, '..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const composition = parse(read('docker-compose.yml'), { merge: true }) as { services: Record<string, Service>; volumes: object };
const { services } = composition;
const ours = ['api', 'worker', 'migrate'];

it('runs both halves of Rollcall, one migration, Postgres, Temporal and its console', () => {
  expect(Object.keys(services).sort()).toEqual(['api', 'migrate', 'postgres', 'temporal', 'temporal-ui', 'worker']);
  expect(ours.map((name) => services[name]!.command)).toEqual([['api'], ['worker'], ['migrate']]);
  expect(services['temporal']!.environment).toMatchObject({ DB: 'postgres12', POSTGRES_SEEDS: 'postgres', DBNAME: 'temporal' });
});

it('starts nothing before what it needs is healthy, and restarts what falls', () => {
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

it('keeps the data in a volume, and its ports to this machine unless told otherwise', () => {
  expect(services['postgres']!.volumes).toEqual(['postgres:/var/lib/postgresql']);
  expect(composition.volumes).toHaveProperty('postgres');
  const ports = Object.values(services).flatMap((service) => service.ports ?? []);
  expect(ports).toHaveLength(2);
  for (const port of ports) expect(port).toMatch(/^(\$\{ROLLCALL_BIND:-127\.0\.0\.1\}|127\.0\.0\.1):/);
});

it('gives Rollcall only variables that it knows', () => {
  const known = new Set([...read('.env.example').matchAll(/^#? ?([A-Z][A-Z_]+)=/gm)].map(([, name]) => name));
  for (const name of ours) for (const variable of Object.keys(services[name]!.environment!)) expect(known).toContain(variable);
});

it('runs Rollcall as an ordinary user, without development packages', () => {
  const dockerfile = read('Dockerfile');
  expect(dockerfile.match(/^USER .*/gm)).toEqual(['USER node']);
  expect(dockerfile).toContain('npm ci --omit=dev --omit=optional');
  for (const name of ours) expect(services[name]).not.toHaveProperty('user');
});

function compose(env: NodeJS.ProcessEnv) {
  return spawnSync('docker', ['compose', '--env-file', '/dev/null', 'config', '--quiet'], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    encoding: 'utf8',
  });
}

it('is accepted by docker compose, where there is one, which asks for the keys that are missing', () => {
  if (spawnSync('docker', ['compose', 'version']).status !== 0) return;
  expect(compose({ API_KEYS: 'key', ENCRYPTION_KEYS: 'key' })).toMatchObject({ status: 0, stderr: '' });
  expect(compose({ API_KEYS: 'key' }).stderr).toContain('Put ENCRYPTION_KEYS into .env');
});
