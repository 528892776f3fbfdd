import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '../../src/errors.ts';
import { packageRoot } from '../../src/paths.ts';

/** Installs packages that never ship into their own folder: on first use, and when the lock file has changed. */
export function installPackages(folder: string, hint = ''): void {
  const path = join(packageRoot, folder);
  const installed = join(path, 'node_modules/.package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs > statSync(join(path, 'package-lock.json')).mtimeMs) return;
  console.log(`Installing ${folder} (first use) …`);
  const npm = process.env['npm_execpath'];
  const [command, ...first] = npm?.endsWith('npm-cli.js') ? [process.execPath, npm] : ['npm'];
  // Their install scripts would only build drivers for other databases.
  const args = [...first, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  const { status } = spawnSync(command, args, { cwd: path, stdio: 'inherit' });
  if (status !== 0) throw new StartupError(`\`npm ci\` in ${folder} failed: see the output above${hint}.`);
}

const folder = 'bench/polis';

export const polisCommand = [process.execPath, join(packageRoot, folder, 'server.mjs')];

export const installPolis = (): void => installPackages(folder, ', or measure with `--only rollcall`');
