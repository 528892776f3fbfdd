import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createFailOpen } from '../src/limits/limits.ts';
import { createLogger } from '../src/logger.ts';
import { packageRoot } from '../src/paths.ts';
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
  ['a value that is no UUID', 'select ? :: uuid', [secret], '22P02'],
  ['a value that is no number', 'select cast(? as int)', [secret], '22P02'],
  ['a value that is no date', 'select cast(? as timestamptz)', [secret], '22007'],
  ['a pattern that cannot be read', "select 'a' ~ ?", [`${secret}(`], '2201B'],
  ['a text that is no JSON', 'select cast(? as jsonb)', [`"${secret}`], '22P02'],
])('does not log %s, which Postgres quotes', async (_title, statement, values, code) => {
  const error = await catchError(() => database.db.raw(statement, values));
  expect(error).toMatchObject({ code });
  const { line, err } = logged(error);
  for (const part of ['ada -', 'lovelace']) expect(line).not.toContain(part);
  expect(err).toMatchObject({ code, message: expect.stringMatching(/^select .* - Postgres rejected a value \(22\w{3}\)$/) });
  expect(err['stack']).toMatch(/^ +at /);
});

it('logs no value of an error that comes without its statement, as a cause either', async () => {
  const bare = Object.assign(new Error(`invalid input syntax for type uuid: "${secret}"`), { code: '22P02' });
  const { line, err } = logged(new Error('outside', { cause: bare }));
  expect(line).not.toContain('lovelace');
  expect(err).toMatchObject({ message: 'outside', cause: { message: 'a statement - Postgres rejected a value (22P02)' } });
});

it.each([`{"name":"${secret}"`, `{"name":${secret}}`, secret, `"${secret}`])('does not log %s, which JSON.parse quotes', async (text) => {
  const { line, err } = logged(await catchError(() => JSON.parse(text)));
  for (const part of ['ada -', 'lovelace']) expect(line).not.toContain(part);
  expect(err).toMatchObject({ name: 'SyntaxError', stack: expect.stringContaining('logger.test') });
});

it('logs the message and the stack of every other error', async () => {
  const error = await catchError(() => database.db.raw('select nothing from nowhere'));
  expect(logged(error).err).toMatchObject({ message: error.message, stack: error.stack, code: '42P01' });
});

it('logs no value in the error field of a line that has only the message', async () => {
  const lines: object[] = [];
  const ask = createFailOpen({ log: { warn: (line: object) => void lines.push(line) }, onFailure: () => undefined });
  await ask(() => database.db.raw('select ? :: uuid', [secret]));
  expect(lines).toEqual([{ error: 'select $1 :: uuid - Postgres rejected a value (22P02)' }]);
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
