import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { commandLine } from './run.mjs';

/** Ensures that one process at a time runs a step in a folder. The lock of a killed process is ignored. */
export async function withLock(step, work) {
  const file = `.rollcall/prepare-${step}.lock`;
  mkdirSync('.rollcall', { recursive: true, mode: 0o700 });
  for (let attempt = 1; !take(file); attempt += 1) {
    const holder = readHolder(file);
    if (!commandLine(holder).includes('prepare.mjs')) discard(file, holder);
    else {
      if (attempt === 1) console.log(`Waiting for process ${holder} to finish this step (${step}) …`);
      await delay(100);
    }
  }
  try {
    work();
  } finally {
    rmSync(file, { force: true });
  }
}

function take(file) {
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    linkSync(mine, file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

/** Another process may have discarded the stale lock and taken a new one in between: that one is put back. */
function discard(file, stale) {
  const stalePath = `${file}.${process.pid}.stale`;
  try {
    renameSync(file, stalePath);
    if (readHolder(stalePath) !== stale) linkSync(stalePath, file);
  } catch {
    // The lock is already gone.
  } finally {
    rmSync(stalePath, { force: true });
  }
}

function readHolder(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return 0;
  }
}
