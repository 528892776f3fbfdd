import { tmpdir } from 'node:os';
import { afterEach, expect, it } from '@jest/globals';
import { createDiskWatch, readFreeBytes, type DiskWatch, type DiskWatchDeps } from '../../src/app/disk-watch.ts';
import { createLogger } from '../../src/logger.ts';
import { cloneDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { probeDisk } from '../../src/store/sql/examine-database.ts';

let watch: DiskWatch | undefined;
afterEach(() => watch?.stop());

const log = createLogger('silent');
const start = (deps: Partial<DiskWatchDeps>) =>
  (watch = createDiskWatch({
    probeDatabase: () => Promise.resolve('room'),
    minFreeBytes: 100,
    low: { freeBytes: 200, bytesPerDirectory: 1_000, findLargeDirectories: () => Promise.resolve(new Set<string>()) },
    log,
    everyMs: 5,
    probeEveryMs: 10,
    ...deps,
  }));

it('reports a full database disk until a probe finds room', async () => {
  let found: 'room' | 'full' = 'full';
  const { missing } = start({ probeDatabase: () => Promise.resolve(found) });
  await until(() => missing()?.includes('database'));
  found = 'room';
  await until(() => missing() === undefined);
});

it('keeps the last result while the database does not respond, and ignores a folder that cannot be read', async () => {
  let probes = 0;
  const probeDatabase = () => (probes++ === 0 ? Promise.resolve('full' as const) : Promise.reject(new Error('away')));
  const { missing } = start({ probeDatabase, freeBytes: () => Promise.reject(new Error('gone')) });
  await until(() => probes > 3);
  expect(missing()).toContain('database');
});

it('measures directories that want to grow, only while the disk is low, and keeps the last result while the database does not respond', async () => {
  let free = 200;
  let checks = 0;
  let isAway = false;
  let searches = 0;
  let measured: string[] = [];
  const watching = start({
    freeBytes: () => {
      checks += 1;
      return Promise.resolve(free);
    },
    low: {
      freeBytes: 200,
      bytesPerDirectory: 1_000,
      findLargeDirectories(ids, bytes) {
        searches += 1;
        measured = ids;
        expect(bytes).toBe(1_000);
        return isAway ? Promise.reject(new Error('away')) : Promise.resolve(new Set(['large']));
      },
    },
  });
  await until(() => checks > 3);
  expect([searches, watching.growthError('large')]).toEqual([0, undefined]);
  free = 199;
  const before = checks;
  await until(() => checks > before + 3);
  expect(searches).toBe(0);
  await until(() => watching.growthError('large'));
  expect(measured).toEqual(['large']);
  expect(watching.syncError('large')).toBe(watching.growthError('large'));
  expect([watching.growthError('small'), watching.missing()]).toEqual([undefined, undefined]);
  expect(watching.growthError('large')).toMatch(/LOW_DISK_BYTES\).*LOW_DISK_BYTES_PER_DIRECTORY\)/);
  isAway = true;
  searches = 0;
  await until(() => searches > 1);
  expect(watching.growthError('large')).toBeDefined();
  free = 200;
  await until(() => watching.growthError('large') === undefined);
});

it('reports a full disk when Postgres fails with 53100, and rejects with any other error', async () => {
  const { openSingle, drop } = await cloneDatabase();
  try {
    const db = openSingle();
    await db.raw('create schema failing');
    const failWith = (code: string) =>
      db.raw(`create or replace function failing.repeat(text, integer) returns text language plpgsql as
        $$ begin raise exception 'could not write to file' using errcode = '${code}'; end $$`);
    await failWith('53100');
    expect(await probeDisk(db)).toBe('room');
    await db.raw('set search_path = failing, pg_catalog, public');
    expect(await probeDisk(db)).toBe('full');
    await failWith('53200');
    await expect(probeDisk(db)).rejects.toMatchObject({ code: '53200' });
    await db.raw('drop function failing.repeat');
    expect(await probeDisk(db)).toBe('room');
  } finally {
    await drop();
  }
});

it('probes a real database without leaving anything behind, and reads the free bytes of a real folder', async () => {
  const { db, drop } = await cloneDatabase();
  try {
    const { rows: before } = await db.raw('select temp_files from pg_stat_database where datname = current_database()');
    expect(await probeDisk(db)).toBe('room');
    await until(async () => {
      const { rows } = await db.raw('select temp_files from pg_stat_database where datname = current_database()');
      return Number(rows[0].temp_files) > Number(before[0].temp_files);
    });
  } finally {
    await drop();
  }
  expect(await readFreeBytes(tmpdir())).toBeGreaterThan(0);
});
