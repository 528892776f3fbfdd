import { writeFile } from 'node:fs/promises';
import { StartupError } from '../src/errors.ts';
import { packageRoot } from '../src/paths.ts';
import { measureBulk } from './bulk.ts';
import { measureDelivery } from './delivery.ts';
import { measureHelp } from './help.ts';
import { measureSync } from './sync.ts';
import { measureIntake } from './intake.ts';
import { measureLibrary } from './library.ts';
import { measureLimits } from './limits.ts';
import { measureLookup } from './lookup.ts';
import { measureMembers } from './members.ts';
import { measureMemory } from './memory.ts';
import { measurePaging } from './paging.ts';
import { measureStart } from './start.ts';
import { createClosing } from './support/closing.ts';
import { optionLines, readOptions } from './support/options.ts';

const benchmarks = {
  intake: {
    measure: measureIntake,
    sentence: 'Users created and changed per second and how long each takes, against Polis @boxyhq/saml-jackson.',
  },
  delivery: {
    measure: measureDelivery,
    sentence: 'Webhooks: time to arrive, events per second in batches and from many directories, and what a bad receiver does to others.',
  },
  members: {
    measure: measureMembers,
    sentence: 'Time to add a member to a large group and to take it out, to a small group and against Polis.',
  },
  lookup: {
    measure: measureLookup,
    sentence: 'Time to find a user by name, external id or e-mail address, in a large directory to a small one.',
  },
  paging: { measure: measurePaging, sentence: 'Time of the 1,000th page of a large directory, to the first.' },
  library: {
    measure: measureLibrary,
    sentence: 'Calls of the library per second without Temporal, against Polis as a library.',
  },
  limits: {
    measure: measureLimits,
    sentence: 'What limits cost a read, decisions per second against koa-ratelimit, memory for a million keys.',
  },
  bulk: { measure: measureBulk, sentence: 'Memory that a Bulk request of 5 MB takes, and its time to as many single requests.' },
  sync: {
    measure: measureSync,
    sentence: 'A Google Workspace read for the first time and unchanged: time and memory, and its speed against Polis.',
  },
  memory: { measure: measureMemory, sentence: 'Memory of everything that `npm start` runs, at rest.' },
  help: { measure: measureHelp, sentence: 'Time of `rollcall --help`, beside a Node that does nothing.' },
  start: { measure: measureStart, sentence: 'Time from `npm start` until it is ready: the first one and later ones.' },
};

const usage = [
  'npm run bench -- <name> [options]',
  '',
  ...Object.entries(benchmarks).map(([name, { sentence }]) => `  ${name.padEnd(8)} ${sentence}`),
  '',
  ...optionLines.map((line) => `  ${line}`),
].join('\n');

async function run(args: string[]): Promise<void> {
  const { name, options } = readOptions(args);
  if (name === undefined) return console.log(usage);
  if (!isBenchmark(name)) throw new StartupError(`There is no benchmark ${name}.\n\n${usage}`);
  process.chdir(packageRoot);
  const closing = createClosing();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void closing.close().finally(() => process.exit(130)));
  try {
    const figures = await benchmarks[name].measure(options, closing);
    if (options.jsonFile) await writeFile(options.jsonFile, `${JSON.stringify(figures, undefined, 2)}\n`);
  } catch (error) {
    if (!closing.signal.aborted) throw error;
  } finally {
    await closing.close();
  }
}

const isBenchmark = (name: string): name is keyof typeof benchmarks => Object.hasOwn(benchmarks, name);

run(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof StartupError ? error.message : error);
  process.exitCode = 1;
});
