import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The bundle is in `dist/workflows`, also for `dist/cjs/src`. */
export const workflowBundlePath = () => join(find(['../workflows', '../../workflows']), 'bundle.cjs');

/** The files of the console, in `dist/console`. */
export const consoleFolder = () => dirname(find(['../console/console.js', '../../console/console.js']));

/** The folder of `package.json`: one level above `src`, two above `dist/src`, three above `dist/cjs/src`. */
export const packageRoot = dirname(find(['../package.json', '../../package.json', '../../../package.json']));

function find(places: string[]): string {
  return places.map((place) => join(import.meta.dirname, place)).find((path) => existsSync(path))!;
}

export const readVersion = () => (JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }).version;
