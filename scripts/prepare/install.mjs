import { existsSync, readFileSync } from 'node:fs';
import { run } from './run.mjs';

/** What npm says it installed (its hidden lock file) against what the lock file asks for. Other platforms' packages may lack. */
export function isInstalled() {
  const installed = readPackages('node_modules/.package-lock.json');
  const wanted = readPackages('package-lock.json');
  return (
    installed !== undefined &&
    Object.entries(wanted).every(
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
      sentence: '`npm ci` failed: see what it says above, then run the same command again.',
    },
  );
}
