import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '../../src/errors.ts';
import { packageRoot } from '../../src/paths.ts';

const folder = join(packageRoot, 'bench/ancestor');

export const ancestorCommand = [process.execPath, join(folder, 'server.mjs')];

/** At first use, and after its lock file changed. */
export function installAncestor(): void {
  const installed = join(folder, 'node_modules/.package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs > statSync(join(folder, 'package-lock.json')).mtimeMs) return;
  console.log('Installing the ancestor into bench/ancestor (first use) …');
  const npm = process.env['npm_execpath'];
  const [command, ...first] = npm?.endsWith('npm-cli.js') ? [process.execPath, npm] : ['npm'];
  // What its packages would build at installation are drivers of other databases.
  const args = [...first, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  const { status } = spawnSync(command, args, { cwd: folder, stdio: 'inherit' });
  if (status !== 0) throw new StartupError('`npm ci` in bench/ancestor failed: see above, or measure with `--only rollcall`.');
}
