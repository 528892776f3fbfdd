import { existsSync, readFileSync } from 'node:fs';
import { run } from './run.mjs';

/** Compares npm's hidden lock file, which lists what is installed, with the lock file. Packages for other platforms may be missing. */
export function isInstalled() {
  const installed = readPackages('node_modules/.package-lock.json');
  const locked = readPackages('package-lock.json');
  return (
    installed !== undefined &&
    Object.entries(locked).every(
      ([path, { version, optional, link }]) => path === '' || link || (installed[path] ? installed[path].version === version : optional),
    )
  );
}

function readPackages(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : undefined;
}

export function install() {
  console.log('Installing packages (first start, or the lock file changed) …');
  const npm = process.env.npm_execpath;
  const [command, args] = npm?.endsWith('npm-cli.js') ? [process.execPath, [npm]] : ['npm', []];
  run(
    command,
    [...args, 'ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'],
    {
      sentence: '`npm ci` failed: see its output above, then run the command again.',
    },
  );
}
