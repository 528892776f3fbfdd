import { fork, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { startPostgres } from '../src/embedded/postgres.ts';
import { packageRoot } from '../src/paths.ts';
import { openDatabase } from '../src/store/database.ts';
import { printTarget, formatNumber, startTable } from './support/table.ts';
import { installPolis } from './support/install.ts';
import type { Cleanup } from './support/cleanup.ts';
import { introduce } from './support/machine.ts';
import type { Options } from './support/options.ts';
import { makeFolder } from './support/servers.ts';
import { median, formatMiddleHalf } from './support/statistics.ts';

const introduction = `
requests.handle of the library without Temporal, and of Ory Polis (@boxyhq/saml-jackson) as a library. Each runs in its own process with
its own database in the same Postgres. They alternate with the same number of calls, and both get a callback.
`;

const operations = ['create', 'update', 'find', 'read'] as const;
const sideOrder = ['rollcall', 'peer'] as const;
/** With one call at a time. The other ratios are only in the table. */
const targets: Partial<Record<(typeof operations)[number], number>> = { create: 2, update: 2 };
const script = 'bench/library/rollcall.mjs';

interface Slice {
  perSecond: number;
  p50Ms: number;
  p95Ms: number;
  /** CPU time of the library's process per call. */
  cpuMs: number;
  events: number;
}

export async function measureLibrary(options: Options, cleanup: Cleanup): Promise<object> {
  const machine = introduce(introduction);
  const { before } = options;
  const peerName = before === undefined ? 'polis' : 'before';
  if (before === undefined) installPolis();
  const postgres = await startPostgres({ dataDir: join(await makeFolder(cleanup), 'postgres'), password: 'bench' });
  cleanup.add(() => postgres.stop());
  const sides = {
    rollcall: await startSide('rollcall', script, libraryOf(packageRoot), postgres.url, cleanup),
    peer: await startSide(
      peerName,
      before === undefined ? 'bench/polis/library.mjs' : script,
      libraryOf(before ?? packageRoot),
      postgres.url,
      cleanup,
    ),
  };
  const print = startTable([
    { title: 'call', width: 6 },
    { title: 'conc.', width: 7 },
    ...['Rollcall', peerName].flatMap((name) => [
      { title: `${name}/s`, width: 10 },
      { title: 'p50 ms', width: 7 },
      { title: 'p95 ms', width: 7 },
      { title: 'cpu ms', width: 7 },
    ]),
    { title: 'ratio', width: 6 },
    { title: 'middle half', width: 11 },
  ]);
  const rows = [];
  for (const operation of operations) {
    for (const concurrency of options.writers ?? [1, 32]) {
      const slices: Record<keyof typeof sides, Slice[]> = { rollcall: [], peer: [] };
      // Both sides get as many calls as the slower one can handle in the duration of a slice.
      const warmUps = [
        await sides.rollcall({ operation, concurrency, calls: Math.max(500, 50 * concurrency) }),
        await sides.peer({ operation, concurrency, calls: Math.max(500, 50 * concurrency) }),
      ];
      const calls = Math.max(concurrency, Math.round(Math.min(...warmUps.map(({ perSecond }) => perSecond)) * options.seconds));
      for (let round = 0; round < options.rounds; round += 1)
        for (const side of round % 2 === 0 ? sideOrder : sideOrder.toReversed())
          slices[side].push(await sides[side]({ operation, concurrency, calls }));
      const ratios = slices.rollcall.map((slice, round) => slice.perSecond / slices.peer[round]!.perSecond);
      const ratio = median(ratios);
      const figures = [slices.rollcall, slices.peer].flatMap((of) =>
        (['perSecond', 'p50Ms', 'p95Ms', 'cpuMs'] as const).map((figure) => formatNumber(median(of.map((slice) => slice[figure])))),
      );
      print([operation, String(concurrency), ...figures, `${formatNumber(ratio)}x`, formatMiddleHalf(ratios)]);
      rows.push({ operation, concurrency, calls, slices, ratio });
    }
  }
  console.log('');
  for (const { operation, concurrency, ratio } of rows) {
    const bound = before !== undefined ? 0.95 : concurrency === 1 ? targets[operation] : undefined;
    const title = `${operation}, ${concurrency} concurrent, vs ${peerName}`;
    if (bound !== undefined) printTarget({ title, value: ratio, relation: '≥', bound, unit: 'x' });
  }
  return { machine, options, rows };
}

type Run = (run: { operation: (typeof operations)[number]; calls: number; concurrency: number }) => Promise<Slice>;

const libraryOf = (root: string) => join(resolve(root), 'dist/src/library/index.js');

async function startSide(side: string, file: string, library: string, postgresUrl: string, cleanup: Cleanup): Promise<Run> {
  const admin = openDatabase(postgresUrl);
  await admin.raw('create database ??', [side]);
  await admin.destroy();
  const child = fork(join(packageRoot, file), {
    env: {
      ...process.env,
      LIBRARY: library,
      DATABASE_URL: postgresUrl.replace(/\/postgres$/, `/${side}`),
      ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
    },
  });
  cleanup.add(() => end(child));
  await once(child, 'message');
  return async (run) => {
    child.send(run);
    const [result] = (await once(child, 'message', { signal: cleanup.signal })) as [Slice & { failure?: string }];
    if (result.failure) throw new Error(`${side}: ${result.failure}`);
    return result;
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.disconnect();
  await ended;
}
