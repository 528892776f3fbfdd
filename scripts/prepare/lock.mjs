import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { commandLine } from './run.mjs';

/** One process at a time does a step in one folder. The lock of a prepare that was killed counts for nothing. */
export async function withLock(step, work) {
  const file = `.rollcall/prepare-${step}.lock`;
  mkdirSync('.rollcall', { recursive: true, mode: 0o700 });
  for (let attempt = 1; !take(file); attempt += 1) {
    const holder = readHolder(file);
    if (!commandLine(holder).includes('prepare.mjs')) discard(file, holder);
    else {
      if (attempt === 1) console.log(`Waiting for process ${holder}, which is at it already (${step}) …`);
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

/** Another prepare may have discarded the same stale lock and taken its place in between: that one is put back. */
function discard(file, stale) {
  const aside = `${file}.${process.pid}.stale`;
  try {
    renameSync(file, aside);
    if (readHolder(aside) !== stale) linkSync(aside, file);
  } catch {
    // It is gone already, which is all we want.
  } finally {
    rmSync(aside, { force: true });
  }
}

function readHolder(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return 0;
  }
}
