import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readConfig, variables } from '../../src/config.ts';
import { StartupError } from '../../src/errors.ts';

const key = Buffer.alloc(32, 7).toString('base64');
const apiKey = (number: number) => `key-${number}-of-thirty-two-characters-or-more`;

function problemsOf(env: NodeJS.ProcessEnv, command: Parameters<typeof readConfig>[1] = 'start'): string {
  try {
    readConfig(env, command);
  } catch (error) {
    if (error instanceof StartupError) return error.message;
  }
  throw new Error('the configuration was not rejected with a sentence');
}

const namesIn = (problems: string) => [...problems.matchAll(/^ {2}([A-Z_]+) /gm)].map(([, name]) => name);

const removalsOf = (env: NodeJS.ProcessEnv) => readConfig(env, 'start').removals;
const lifetimeOf = (text: string) => readConfig({ SCIM_ACCESS_TOKEN_TTL: text }, 'start').scimAccessTokenMs;

describe('configuration', () => {
  it('requires nothing for `start`', () => {
    expect(readConfig({}, 'start')).toMatchObject({ host: '127.0.0.1', port: 5225, dataDir: '.rollcall', logLevel: 'info' });
  });

  it('reports all problems together, by name', () => {
    const problems = problemsOf({ PORT: 'ninety', EXTERNAL_URL: 'ftp://x', LOG_LEVEL: 'loud', WEBHOOK_RETRY_SCHEDULE: '5,soon' });
    expect(namesIn(problems)).toEqual(['PORT', 'EXTERNAL_URL', 'LOG_LEVEL', 'WEBHOOK_RETRY_SCHEDULE']);
  });

  it('names the settings that a command requires', () => {
    expect(namesIn(problemsOf({}, 'api'))).toEqual(['DATABASE_URL', 'TEMPORAL_ADDRESS', 'ENCRYPTION_KEYS', 'API_KEYS']);
    expect(problemsOf({}, 'worker')).not.toMatch(/API_KEYS/);
  });

  it('limits nothing without a plan, and rejects the other limit settings then', () => {
    expect(readConfig({}, 'start').limits).toBeUndefined();
    expect(problemsOf({ LIMITS_RULES_FILE: 'rules.yaml' })).toContain('LIMITS_RULES_FILE');
    expect(
      namesIn(problemsOf({ LIMITS_PLAN: 'gold', LIMITS_ENVIRONMENT: 'test', LIMITS_STORE: 'redis', TRUSTED_PROXIES: 'proxy' })),
    ).toEqual(['LIMITS_PLAN', 'LIMITS_ENVIRONMENT', 'LIMITS_STORE', 'TRUSTED_PROXIES']);
    expect(readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, ::1/128' }, 'start').trustedProxies).toEqual(['10.0.0.0/8', '::1/128']);
    expect(readConfig({ LIMITS_PLAN: 'scale' }, 'start').limits).toEqual({
      plan: 'scale',
      environment: 'production',
      projectsFile: undefined,
      rulesFile: undefined,
      store: 'memory',
    });
  });

  it('prints no value, because it may be a secret', () => {
    const problems = problemsOf({ ENCRYPTION_KEYS: 'hunter2', DATABASE_URL: 'mysql://root:hunter2@db', PORT: 'hunter2' });
    expect(problems).not.toContain('hunter2');
    expect(problems).toContain('ENCRYPTION_KEYS');
  });

  it('accepts the former names of the settings of the removal guard', () => {
    const former = { DSYNC_GOOGLE_REMOVAL_PERCENT: '50', DSYNC_GOOGLE_REMOVAL_COUNT: '0' };
    expect(removalsOf({})).toEqual({ share: 0.3, count: 10 });
    expect(removalsOf(former)).toEqual({ share: 0.5, count: 0 });
    expect(removalsOf({ ...former, DSYNC_REMOVAL_PERCENT: '20', DSYNC_REMOVAL_COUNT: '7' })).toEqual({ share: 0.2, count: 7 });
  });

  it('lets access tokens for SCIM live from one to six hours', () => {
    expect([lifetimeOf(''), lifetimeOf('60m'), lifetimeOf('6h')]).toEqual([3_600_000, 3_600_000, 21_600_000]);
    for (const text of ['59m', '361m', '3600', 'forever'])
      expect(namesIn(problemsOf({ SCIM_ACCESS_TOKEN_TTL: text }))).toEqual(['SCIM_ACCESS_TOKEN_TTL']);
  });

  it('knows an OpenID provider only with a client and roles, over https or on this machine', () => {
    const oidc = {
      OIDC_ISSUER: 'https://login.example',
      OIDC_CLIENT_ID: 'a',
      OIDC_CLIENT_SECRET: 'b',
      OIDC_ROLES: 'cn=x=admin, staff = viewer',
    };
    expect(readConfig({}, 'start').oidc).toBeUndefined();
    expect(readConfig(oidc, 'start').oidc).toMatchObject({
      issuer: 'https://login.example',
      scope: 'openid profile email',
      roleClaim: 'groups',
      roles: new Map([
        ['cn=x', 'admin'],
        ['staff', 'viewer'],
      ]),
    });
    expect(readConfig({ ...oidc, OIDC_ISSUER: 'http://127.0.0.1:8080' }, 'start').oidc?.issuer).toBe('http://127.0.0.1:8080');
    expect(namesIn(problemsOf({ ...oidc, OIDC_ISSUER: 'http://login.example' }))).toEqual(['OIDC_ISSUER']);
    for (const roles of ['staff', 'staff=root', '=admin', ','])
      expect(namesIn(problemsOf({ ...oidc, OIDC_ROLES: roles }))).toEqual(['OIDC_ROLES']);
    for (const name of Object.keys(oidc)) expect(problemsOf({ ...oidc, [name]: '' })).toContain(name);
  });

  it('lets sessions live from five minutes to thirty days', () => {
    expect(readConfig({}, 'start').sessions).toEqual({ idleMs: 7_200_000, maxMs: 43_200_000 });
    for (const text of ['4m', '31d', '90', 'forever'])
      for (const name of ['SESSION_IDLE_TTL', 'SESSION_TTL']) expect(namesIn(problemsOf({ [name]: text }))).toEqual([name]);
  });

  it('treats an empty variable as unset', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: ' ' }, 'start')).toMatchObject({ port: 5225, database: { url: undefined } });
  });

  it('splits lists and decodes keys', () => {
    const config = readConfig(
      { API_KEYS: `${apiKey(1)}, ${apiKey(2)},`, ENCRYPTION_KEYS: `${key},${key}`, EXTERNAL_URL: 'https://sync.example.com/' },
      'start',
    );
    expect(config.apiKeys).toEqual([apiKey(1), apiKey(2)]);
    expect(config.encryptionKeys?.map((bytes) => bytes.length)).toEqual([32, 32]);
    expect(config.externalUrl).toBe('https://sync.example.com');
    expect(problemsOf({ API_KEYS: ' , ' })).toContain('API_KEYS');
  });

  it('accepts API keys of 32 characters, and rejects shorter ones', () => {
    expect(readConfig({ API_KEYS: 'k'.repeat(32) }, 'start').apiKeys).toEqual(['k'.repeat(32)]);
    for (const keys of ['k'.repeat(31), `${apiKey(1)},${'k'.repeat(31)}`, `${apiKey(1)},k`])
      expect(namesIn(problemsOf({ API_KEYS: keys }))).toEqual(['API_KEYS']);
  });

  it('accepts a pooler in transaction mode at DATABASE_URL only', () => {
    const url = 'postgres://u:p@db/r';
    expect(readConfig({ DATABASE_URL: url, DATABASE_POOLER: 'transaction' }, 'start').database).toMatchObject({
      url,
      pooler: 'transaction',
    });
    expect(problemsOf({ DATABASE_POOLER: 'transaction' })).toContain('DATABASE_POOLER requires DATABASE_URL');
    expect(problemsOf({ DATABASE_URL: url, DATABASE_POOLER: 'session' })).toContain('DATABASE_POOLER must be transaction, or unset');
  });

  it('accepts a replica of DATABASE_URL only', () => {
    const [url, DATABASE_READ_URL] = ['postgres://u:p@db/r', 'postgres://u:p@replica/r'];
    expect(readConfig({ DATABASE_URL: url, DATABASE_READ_URL }, 'start').database.replica).toEqual({
      url: DATABASE_READ_URL,
      maxLagMs: 5_000,
    });
    expect(readConfig({ DATABASE_URL: url }, 'start').database.replica).toBeUndefined();
    expect(problemsOf({ DATABASE_READ_URL })).toContain('DATABASE_READ_URL requires DATABASE_URL');
  });

  it('requires certificate and key of Temporal together', () => {
    expect(problemsOf({ TEMPORAL_TLS_CERT_FILE: 'a.pem' })).toMatch(/TEMPORAL_TLS_KEY_FILE.*TEMPORAL_TLS_CERT_FILE/);
  });
});

it('.env.example has every variable with its description and default, and no other', () => {
  const lines = readFileSync('.env.example', 'utf8').split('\n');
  const shown = lines.flatMap((line, index) => {
    const [, name, value] = /^# ([A-Z_]+)=(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, value, sentence: lines[index - 1]!.replace('# ', '') }];
  });
  const wanted = Object.entries(variables.shape).map(([name, field]) => {
    const { defaultValue = '' } = field.def as { defaultValue?: { toString(): string } };
    return { name, value: defaultValue.toString(), sentence: field.description };
  });
  expect(shown).toEqual(wanted);
});
