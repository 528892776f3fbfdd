import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.mjs';

const folders = ['src', 'workflows', 'activities', 'test', 'bench'];
const stampFile = 'dist/.stamp';
const draft = 'dist.next';
const old = 'dist.old';

export function isBuilt() {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp();
}

/** Builds beside the final place and swaps the result in, including the stamp: a killed build leaves nothing that looks complete. */
export function build() {
  console.log('Building …');
  const digest = stamp();
  for (const folder of [draft, old]) rmSync(folder, { recursive: true, force: true });
  run(process.execPath, ['node_modules/typescript/bin/tsc', '--outDir', draft], {
    sentence: 'The build failed: fix the compiler errors above.',
  });
  run(process.execPath, ['scripts/bundle.mjs', draft], { sentence: 'Bundling the workflows failed: see the output above.' });
  run(process.execPath, ['scripts/bundle-console.mjs', draft], { sentence: 'Bundling the console failed: see the output above.' });
  run(process.execPath, ['scripts/package.mjs', draft], { sentence: 'Packaging failed: see the output above.' });
  chmodSync(join(draft, 'src/main.js'), 0o755);
  writeFileSync(join(draft, '.stamp'), digest);
  if (existsSync('dist')) renameSync('dist', old);
  renameSync(draft, 'dist');
  rmSync(old, { recursive: true, force: true });
}

function stamp() {
  const hash = createHash('sha256');
  for (const file of [
    'tsconfig.json',
    'package-lock.json',
    'scripts/bundle.mjs',
    'scripts/bundle-console.mjs',
    'scripts/package.mjs',
    ...folders.flatMap(sources),
  ]) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function sources(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : sources(path);
      return entry.isFile() && /\.(tsx?|css)$/.test(entry.name) ? [path] : [];
    })
    .sort((a, b) => a.localeCompare(b));
}
