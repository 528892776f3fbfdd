import { writeFile } from 'node:fs/promises';
import { StartupError } from '../src/errors.ts';
import { packageRoot } from '../src/paths.ts';
import { measureAll } from './all.ts';
import { measureAttributes } from './attributes.ts';
import { measureBulk } from './bulk.ts';
import { measureCold } from './cold.ts';
import { measureDelivery } from './delivery.ts';
import { measureDirectories } from './directories.ts';
import { measureHelp } from './help.ts';
import { measureHosted } from './hosted.ts';
import { measureSync } from './sync.ts';
import { measureImport } from './import.ts';
import { measureIntake } from './intake.ts';
import { measureKeys } from './keys.ts';
import { measureLarge } from './large.ts';
import { measureLibrary } from './library.ts';
import { measureLimits } from './limits.ts';
import { measureLookup } from './lookup.ts';
import { measureMembers } from './members.ts';
import { measureMemory } from './memory.ts';
import { measurePaging } from './paging.ts';
import { measureRate } from './rate.ts';
import { measureScale } from './scale.ts';
import { measureSnapshot } from './snapshot.ts';
import { measureStart } from './start.ts';
import { measureTemporal } from './temporal.ts';
import { measureTrickle } from './trickle.ts';
import { createCleanup } from './support/cleanup.ts';
import { optionLines, readOptions } from './support/options.ts';
import { targetResults } from './support/table.ts';

const benchmarks = {
  intake: {
    measure: measureIntake,
    sentence: 'Creates and updates per second, and their latency, vs Ory Polis (@boxyhq/saml-jackson).',
  },
  delivery: {
    measure: measureDelivery,
    sentence: 'Webhooks: latency, events per second in batches, and the effect of a bad receiver.',
  },
  cold: { measure: measureCold, sentence: 'Webhooks of many directories that have no delivery workflow yet: events per second.' },
  trickle: {
    measure: measureTrickle,
    sentence: 'Webhooks of 1,000 directories with a change a minute: CPU time of their deliveries, and latency.',
  },
  members: {
    measure: measureMembers,
    sentence: 'Time to add and remove a member of a large group, vs a small group and vs Polis.',
  },
  lookup: {
    measure: measureLookup,
    sentence: 'Time to find a user by name, external ID or e-mail address, in a large directory vs a small one.',
  },
  paging: { measure: measurePaging, sentence: 'Time of the 1,000th page of a large directory vs the first page.' },
  snapshot: {
    measure: measureSnapshot,
    sentence: 'A snapshot of a large directory: time, memory, and creates meanwhile.',
  },
  directories: {
    measure: measureDirectories,
    sentence: 'Time to create, change and read a directory; with `--before`, vs an earlier version.',
  },
  attributes: {
    measure: measureAttributes,
    sentence: 'Pushes with mapping and roles vs without; users computed per second, and creates meanwhile.',
  },
  library: {
    measure: measureLibrary,
    sentence: 'Library calls per second without Temporal, vs Polis as a library.',
  },
  limits: {
    measure: measureLimits,
    sentence: 'Cost of rate limits for a read, decisions per second vs koa-ratelimit, and memory for a million keys.',
  },
  keys: { measure: measureKeys, sentence: 'Cost of API keys for a read, vs a root key, with few keys and with 10,000.' },
  rate: {
    measure: measureRate,
    sentence: 'Latency of 25 requests per second to one directory in the mix of Entra, beside 200 other directories.',
  },
  scale: {
    measure: measureScale,
    sentence: '1, 2 and 4 API processes and workers: throughput, and the CPU time of each component for a change.',
  },
  bulk: { measure: measureBulk, sentence: 'Memory of a 5 MB Bulk request, and its time vs the same number of single requests.' },
  sync: {
    measure: measureSync,
    sentence: 'First and unchanged sync of a Google Workspace: time, memory, and speed vs Polis.',
  },
  hosted: {
    measure: measureHosted,
    sentence: 'Syncs of Microsoft Entra ID and of CSV files: time and memory, vs the first sync of a Google Workspace.',
  },
  import: { measure: measureImport, sentence: 'Import from Polis: users per second and memory, for the first and a repeated run.' },
  large: {
    measure: measureLarge,
    sentence: 'Many directories, users and events: every look-up, its plan, start, the sweep, retention, and dead rows.',
  },
  temporal: {
    measure: measureTemporal,
    sentence: 'Schedules and delivery workflows of many directories: time, memory and histories.',
  },
  memory: { measure: measureMemory, sentence: 'Memory of everything that `npm start` runs, when idle.' },
  help: { measure: measureHelp, sentence: 'Time of `rollcall --help` vs an empty Node process.' },
  start: { measure: measureStart, sentence: 'Time from `npm start` until the service is ready, for the first and later starts.' },
};

const usage = [
  'Usage: npm run bench -- <name> [options]',
  '',
  ...Object.entries(benchmarks).map(([name, { sentence }]) => `  ${name.padEnd(11)} ${sentence}`),
  '  all         Runs every benchmark, or the named ones, and writes their targets into bench/README.md: `all lookup paging`.',
  '',
  ...optionLines.map((line) => `  ${line}`),
].join('\n');

async function run(args: string[]): Promise<void> {
  const { name, names, shared, options } = readOptions(args);
  if (name === undefined) return console.log(usage);
  const requestedNames = name === 'all' ? names : [name];
  const unknown = requestedNames.find((one) => !isBenchmark(one));
  if (unknown !== undefined) throw new StartupError(`Unknown benchmark ${unknown}.\n\n${usage}`);
  process.chdir(packageRoot);
  const cleanup = createCleanup();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void cleanup.close().finally(() => process.exit(130)));
  try {
    const figures = isBenchmark(name)
      ? { ...(await benchmarks[name].measure(options, cleanup)), targets: targetResults }
      : await measureAll({ benchmarks: Object.keys(benchmarks), names, options: shared }, cleanup);
    if (options.jsonFile) await writeFile(options.jsonFile, `${JSON.stringify(figures, undefined, 2)}\n`);
  } catch (error) {
    if (!cleanup.signal.aborted) throw error;
  } finally {
    await cleanup.close();
  }
}

const isBenchmark = (name: string): name is keyof typeof benchmarks => Object.hasOwn(benchmarks, name);

run(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof StartupError ? error.message : error);
  process.exitCode = 1;
});
