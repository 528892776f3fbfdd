import { writeFile } from 'node:fs/promises';
import { StartupError } from '../src/errors.ts';
import { packageRoot } from '../src/paths.ts';
import { measureIntake } from './intake.ts';
import { measureMemory } from './memory.ts';
import { measureStart } from './start.ts';
import { createClosing } from './support/closing.ts';
import { optionLines, readOptions } from './support/options.ts';

const benchmarks = {
  intake: {
    measure: measureIntake,
    sentence: 'Users created per second and how long each takes, against the ancestor @boxyhq/saml-jackson.',
  },
  memory: { measure: measureMemory, sentence: 'Memory of everything that `npm start` runs, at rest.' },
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
