// Runs before `npm start` and `npm test`. Plain Node: no package may be installed yet.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, isBuilt } from './prepare/build.mjs';
import { install, isInstalled } from './prepare/install.mjs';
import { withLock } from './prepare/lock.mjs';
import { ScriptError } from './prepare/run.mjs';
import { hasTemporal, obtainTemporal } from './prepare/temporal.mjs';

try {
  await prepare(new Set(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof ScriptError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function prepare(flags) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    throw new ScriptError(`Rollcall requires Node 20.19 or newer; this is ${process.versions.node}.`);

  process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
  if (existsSync('.env')) process.loadEnvFile('.env');

  const needsBuild = !flags.has('--no-build');
  const needsTemporal = !flags.has('--no-temporal') && (flags.has('--temporal') || !process.env.TEMPORAL_ADDRESS);
  const steps = [
    { name: 'install', isDone: isInstalled, run: install },
    ...(needsBuild ? [{ name: 'build', isDone: isBuilt, run: build, always: flags.has('--force-build') }] : []),
    ...(needsTemporal ? [{ name: 'temporal', isDone: hasTemporal, run: obtainTemporal }] : []),
  ];
  for (const { name, isDone, run, always = false } of steps) {
    if (isDone() && !always) continue;
    await withLock(name, () => {
      // Another process in this folder may have done it while we waited.
      if (!isDone() || always) run();
    });
  }
}
