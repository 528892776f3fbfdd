import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';

/** The workflows' folder: beside `src` in the repository, beside `dist/src` in a build. `dist/cjs/src` uses the latter. */
export const workflowsPath = find(['../workflows', '../../workflows']);
export const workflowBundlePath = join(workflowsPath, 'bundle.cjs');
/** Modules that a bundle loads before any workflow. */
export const workflowPreloads = [join(workflowsPath, `no-stack-traces${extname(import.meta.filename)}`)];
export const workflowInterceptorModules = [join(workflowsPath, `interceptors${extname(import.meta.filename)}`)];

/** The folder of `package.json`: one level above `src`, two above `dist/src`, three above `dist/cjs/src`. */
export const packageRoot = dirname(find(['../package.json', '../../package.json', '../../../package.json']));

function find(places: string[]): string {
  return places.map((place) => join(import.meta.dirname, place)).find((path) => existsSync(path))!;
}

export const readVersion = () => (JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }).version;
