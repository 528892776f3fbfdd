import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createCsvDirectory, type FileTexts, send, toForm } from '../support/csv-directory.ts';
import type { DirectService } from '../support/direct-service.ts';
import { apiKey } from '../support/service.ts';
import { startSyncService } from '../support/start-with-provider.ts';
import { until } from '../support/until.ts';

let service: DirectService;
beforeAll(async () => {
  service = await startSyncService({ DSYNC_CSV_MAX_FILE_BYTES: '200000' });
});
afterAll(() => service.stop());

const good: FileTexts = {
  'users.csv': 'idp_id,email\nu1,ada@acme.example\nu2,ben@acme.example\n',
  'groups.csv': 'idp_id,name\ng1,Team\n',
  'user_groups.csv': 'user_id,group_id\nu1,g1\n',
};

describe('files with problems', () => {
  it.each<[string, FileTexts, [file: string, line: number | null, column: number | null][]]>([
    ['a key that is there twice', { 'users.csv': 'idp_id,email\n1,a@b.example\n2,b@b.example\n1,c@b.example\n' }, [['users.csv', 4, 1]]],
    ['a name that is there twice', { 'users.csv': 'idp_id,email\n1,a@b.example\n2,A@b.example\n' }, [['users.csv', 3, 2]]],
    ['a group that is there twice', { 'groups.csv': 'idp_id,name\ng1,Team\ng1,Other\n' }, [['groups.csv', 3, 1]]],
    ['a member that is unknown', { 'user_groups.csv': 'user_id,group_id\nu1,g1\nu9,g1\n' }, [['user_groups.csv', 3, 1]]],
    ['a group that is unknown', { 'user_groups.csv': 'user_id,group_id\nu1,g9\n' }, [['user_groups.csv', 2, 2]]],
    [
      'several files that are wrong',
      { 'users.csv': 'idp_id,email\n1,nobody\n', 'groups.csv': 'idp_id,name\ng1,\n' },
      [
        ['users.csv', 2, 2],
        ['groups.csv', 2, 2],
      ],
    ],
    ['no users', { 'users.csv': 'idp_id,email\n' }, [['users.csv', null, null]]],
  ])('are rejected with their places, and nothing is changed: %s', async (_, files, places) => {
    const directory = await createCsvDirectory(service);
    const { status, body } = await directory.upload({ ...good, ...files });
    expect([status, body.error.code, body.error.more_problems]).toEqual([422, 'invalid_files', 0]);
    expect(body.error.problems.map(({ file, line, column }: Record<string, unknown>) => [file, line, column])).toEqual(places);
    expect(await directory.runs()).toEqual([]);
    expect((await directory.upload(good)).status).toBe(202);
  });

  it('are listed up to a bound, with the number of the others', async () => {
    const directory = await createCsvDirectory(service);
    const lines = Array.from({ length: 180 }, (_, index) => `u${index},nobody\n`).join('');
    const { body } = await directory.upload({ 'users.csv': `idp_id,email\n${lines}` });
    expect([body.error.problems.length, body.error.more_problems]).toEqual([50, 130]);
    const twice = Array.from({ length: 180 }, (_, index) => `u${index % 90},u${index}@b.example\n`).join('');
    const { body: repeated } = await directory.upload({ 'users.csv': `idp_id,email\n${twice}` });
    expect([repeated.error.problems.length, repeated.error.more_problems]).toEqual([50, 40]);
  });

  it('do not contain what the files say', async () => {
    const directory = await createCsvDirectory(service);
    const { body } = await directory.upload({ 'users.csv': 'idp_id,email\nsecret-id,secret-address\nsecret-id,a@b.example,secret\n' });
    expect(JSON.stringify([body, service.logs])).not.toMatch(/secret-(id|address)/);
  });
});

const to = async () => (await createCsvDirectory(service)).files;

describe('a request that is wrong', () => {
  it.each<[string, number, () => Promise<{ status: number }>]>([
    ['a body of another type', 415, async () => send(service, await to(), { body: new Blob(['{}']), type: 'application/json' })],
    [
      'a charset that is unknown',
      415,
      async () => send(service, `${await to()}?file=users.csv`, { body: new Blob(['x']), type: 'text/csv; charset=klingon' }),
    ],
    [
      'a file that is not named, and is not users.csv',
      422,
      async () => send(service, await to(), { body: new Blob(['x']), type: 'text/csv' }),
    ],
    ['another name of a file', 400, async () => send(service, await to(), { body: toForm({ 'people.csv': 'x' }) })],
    ['no file', 400, async () => send(service, await to(), { body: new FormData() })],
    ['no boundary', 400, async () => send(service, await to(), { body: new Blob(['x']), type: 'multipart/form-data' })],
    [
      'a form that ends early',
      400,
      async () =>
        send(service, await to(), {
          body: new Blob(['--x\r\nContent-Disposition: form-data; name="users.csv"; filename="users.csv"\r\n\r\nidp_id,']),
          type: 'multipart/form-data; boundary=x',
        }),
    ],
    [
      'a file that is too large',
      413,
      async () => send(service, await to(), { body: toForm({ 'users.csv': `idp_id,email\n${'1,a@b.example\n'.repeat(20_000)}` }) }),
    ],
    [
      'a file of a pushed directory',
      400,
      async () => {
        const { id } = await service.createDirectory();
        return send(service, `/api/v1/directory-sync/${id}/files`, { body: toForm(good) });
      },
    ],
    [
      'a directory that is unknown',
      404,
      () => send(service, '/api/v1/directory-sync/01a1fd46-beef-7978-b244-a1855f394770/files', { body: toForm(good) }),
    ],
  ])('is rejected: %s', async (_, status, act) => {
    expect((await act()).status).toBe(status);
  });

  it('leaves nothing behind when the sender disappears', async () => {
    const directory = await createCsvDirectory(service);
    const url = new URL(`${service.baseUrl}${directory.files}?file=users.csv`);
    const broken = request(url, { method: 'PUT', headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'text/csv' } });
    broken.on('error', () => undefined);
    broken.write('idp_id,email\n');
    broken.write('1,a@b.example\n');
    await untilFiles(directory.id, 'receiving', 1);
    broken.destroy();
    await untilFiles(directory.id, 'receiving', 0);
    // The directory takes another upload once the rows of this one are deleted.
    const { status } = await until(async () => {
      const uploaded = await directory.upload(good);
      return uploaded.status !== 429 && uploaded;
    });
    expect(status).toBe(202);
  });

  it('harms nobody else when the sender disappears after a problem was found', async () => {
    const directory = await createCsvDirectory(service);
    const uncaught: unknown[] = [];
    const note = (error: unknown) => void uncaught.push(error);
    process.on('uncaughtException', note);
    const lock = await service.db.transaction();
    try {
      // Holds the check that follows the last line that was read.
      await lock.raw('lock table uploaded_rows in access exclusive mode');
      const url = new URL(`${service.baseUrl}${directory.files}?file=users.csv`);
      const broken = request(url, { method: 'PUT', headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'text/csv' } });
      const closed = new Promise((resolve) => broken.on('error', () => undefined).on('close', resolve));
      broken.write(`idp_id,email\n1,"${'x'.repeat(100_000)}`);
      await until(async () => (await service.db.raw(waitingStatements)).rows.length > 0);
      broken.destroy();
      await closed;
      for (let count = 0; count < 5; count += 1) expect((await fetch(`${service.baseUrl}/health/live`)).status).toBe(200);
    } finally {
      await lock.rollback();
      await untilFiles(directory.id, 'receiving', 0);
      process.off('uncaughtException', note);
    }
    expect(uncaught).toEqual([]);
  });

  it('is rejected while another upload of the directory is in progress', async () => {
    const directory = await createCsvDirectory(service);
    const url = new URL(`${service.baseUrl}${directory.files}?file=users.csv`);
    const slow = request(url, { method: 'PUT', headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'text/csv' } });
    const ended = new Promise<number>((resolve) => slow.on('response', (response) => resolve(response.resume().statusCode!)));
    slow.write('idp_id,email\n');
    await untilFiles(directory.id, 'receiving', 1);
    const { status, body, headers } = await directory.upload(good);
    expect([status, body.error.code, headers.get('retry-after')]).toEqual([429, 'rate_limited', '10']);
    slow.end('1,a@b.example\n');
    expect(await ended).toBe(202);
  });
});

const waitingStatements = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%uploaded_rows%'`;

const untilFiles = (id: string, state: string, count: number) =>
  until(async () => (await service.db('uploaded_files').where({ directory_id: id, state })).length === count);

describe('a hostile file', () => {
  it.each<[string, string]>([
    ['100,000 columns', `idp_id,email${',c'.repeat(90_000)}\n`],
    ['a cell without an end', `idp_id,email\n1,${'x'.repeat(190_000)}\n`],
    ['a quote without an end', `idp_id,email\n1,"${'x,\n'.repeat(60_000)}`],
  ])('is rejected: %s', async (_, text) => {
    const directory = await createCsvDirectory(service);
    const { status, body } = await directory.upload({ 'users.csv': text });
    expect([status, body.error.problems.length]).toEqual([422, 1]);
  });

  it('is not decompressed', async () => {
    const directory = await createCsvDirectory(service);
    const response = await fetch(`${service.baseUrl}${directory.files}?file=users.csv`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'text/csv', 'content-encoding': 'gzip' },
      body: new Blob(['x']),
    });
    expect(response.status).toBe(415);
  });
});
