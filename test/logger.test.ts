import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createFailOpen } from '../src/limits/limits.ts';
import { createLogger, renderLine } from '../src/logger.ts';
import { packageRoot } from '../src/paths.ts';
import { toLoggableMessage } from '../src/shared/loggable-message.ts';
import { cloneDatabase } from './support/database.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

const catchError = (run: () => unknown) =>
  Promise.resolve()
    .then(run)
    .then(
      () => new Error('nothing failed'),
      (error: unknown) => error as Error,
    );

function logged(err: Error) {
  const lines: string[] = [];
  createLogger('info', { write: (line: string) => void lines.push(line) }).error({ err }, 'failed');
  const [line] = lines;
  return { line: line!, err: (JSON.parse(line!) as { err: Record<string, string> }).err };
}

const secret = 'ada - lovelace@example.com';

it.each([
  ['an invalid UUID', 'select ? :: uuid', [secret], '22P02'],
  ['an invalid number', 'select cast(? as int)', [secret], '22P02'],
  ['an invalid date', 'select cast(? as timestamptz)', [secret], '22007'],
  ['an invalid pattern', "select 'a' ~ ?", [`${secret}(`], '2201B'],
  ['invalid JSON', 'select cast(? as jsonb)', [`"${secret}`], '22P02'],
])('does not log %s that Postgres quotes', async (_title, statement, values, code) => {
  const error = await catchError(() => database.db.raw(statement, values));
  expect(error).toMatchObject({ code });
  const { line, err } = logged(error);
  for (const part of ['ada -', 'lovelace']) expect(line).not.toContain(part);
  expect(err).toMatchObject({ code, message: expect.stringMatching(/^select .* - Postgres rejected a value \(22\w{3}\)$/) });
  expect(err['stack']).toMatch(/^ +at /);
});

it('logs no value of an error without a statement, nor of a cause', async () => {
  const bare = Object.assign(new Error(`invalid input syntax for type uuid: "${secret}"`), { code: '22P02' });
  const { line, err } = logged(new Error('outside', { cause: bare }));
  expect(line).not.toContain('lovelace');
  expect(err).toMatchObject({ message: 'outside', cause: { message: 'a statement - Postgres rejected a value (22P02)' } });
});

it.each([`{"name":"${secret}"`, `{"name":${secret}}`, secret, `"${secret}`])('does not log %s that JSON.parse quotes', async (text) => {
  const { line, err } = logged(await catchError(() => JSON.parse(text)));
  for (const part of ['ada -', 'lovelace']) expect(line).not.toContain(part);
  expect(err).toMatchObject({ name: 'SyntaxError', stack: expect.stringContaining('logger.test') });
});

it('logs the message and the stack of every other error', async () => {
  const error = await catchError(() => database.db.raw('select nothing from nowhere'));
  expect(logged(error).err).toMatchObject({ message: error.message, stack: error.stack, code: '42P01' });
});

it('logs no value in an error field that has only the message', async () => {
  const lines: object[] = [];
  const ask = createFailOpen({ log: { warn: (line: object) => void lines.push(line) }, onFailure: () => undefined });
  await ask(() => database.db.raw('select ? :: uuid', [secret]));
  expect(lines).toEqual([{ error: 'select $1 :: uuid - Postgres rejected a value (22P02)' }]);
});

describe('the format of log lines', () => {
  const entry = { level: 40, time: Date.parse('2026-11-21T08:43:54.120Z'), msg: 'slow request' };
  const [terminal, pipe] = [{ isTTY: true }, {}];

  it('is text on a terminal and JSON elsewhere, unless it is set', () => {
    const text = '2026-11-21T08:43:54.120Z WARN  slow request\n';
    expect(renderLine(entry, undefined, terminal)).toBe(text);
    expect(renderLine(entry, undefined, pipe)).toBe(`${JSON.stringify(entry)}\n`);
    expect(renderLine(entry, 'json', terminal)).toBe(`${JSON.stringify(entry)}\n`);
    expect(renderLine(entry, 'text', pipe)).toBe(text);
  });

  it('has fields after the message in text, and quotes what has spaces', () => {
    const fields = { path: '/Users', status: 503, agent: 'Okta 1.0', empty: '', missing: null, list: ['a', 1] };
    expect(renderLine({ ...entry, ...fields }, 'text', pipe)).toBe(
      '2026-11-21T08:43:54.120Z WARN  slow request path=/Users status=503 agent="Okta 1.0" empty="" missing=null list=["a",1]\n',
    );
  });

  it('has the stack of an error on lines of its own in text', () => {
    const err = {
      name: 'Error',
      message: 'connection lost',
      code: '57P01',
      stack: 'Error: connection lost\n    at one (a.ts:1)\n    at two',
    };
    expect(renderLine({ ...entry, err }, 'text', pipe)).toBe(
      '2026-11-21T08:43:54.120Z WARN  slow request err={"name":"Error","message":"connection lost","code":"57P01"}\n    at one (a.ts:1)\n    at two\n',
    );
  });

  it('lets no value control the terminal or begin a line in text', () => {
    const line = renderLine({ ...entry, msg: 'a\nb \u001b[2J', path: '/\u009b2J\u202e', agent: 'x\n2026 FATAL' }, 'text', pipe);
    expect(line.trimEnd()).not.toMatch(/\p{Cc}|\u202e/u);
  });

  it('is redacted in text as in JSON', async () => {
    const program = `const { createLogger } = await import(${JSON.stringify(join(packageRoot, 'dist/src/logger.js'))});
      createLogger('info', undefined, 'text').info({ authorization: 'Bearer canary', token: 'canary', path: '/Users' }, 'request');`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    expect(stdout).toMatch(/^\S+Z INFO  request authorization=\[redacted\] token=\[redacted\] path=\/Users\n$/);
  });
});

it('shortens a message that begins with a long statement, and keeps the reason', () => {
  const message = toLoggableMessage(new Error(`with given as (select ${'x'.repeat(3_000)}) select - new row violates a constraint`));
  expect(message.length).toBeLessThan(600);
  expect(message).toMatch(/^with given as .* … .*new row violates a constraint$/);
});

it('every log line with an error or cause field takes it from toLoggableMessage', () => {
  const files = ['src', 'activities'].flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const calls = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => readFileSync(join(packageRoot, file), 'utf8').match(/log\??\.(warn|error|info|debug)\([^;]*;/g) ?? []);
  const fields = calls.flatMap((call) => call.match(/\b(error|cause): [^,}]+/g) ?? []);
  expect(fields.length).toBeGreaterThan(10);
  expect(fields.filter((field) => !/: (toLoggableMessage|causeOf)\(/.test(field))).toEqual([]);
});
