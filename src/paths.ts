import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';

/** The folder of workflows: beside `src` in the repository, beside `dist/src` in a build, which `dist/cjs/src` shares. */
export const workflowsPath = find(['../workflows', '../../workflows']);
export const workflowBundlePath = join(workflowsPath, 'bundle.cjs');
/** What a bundle loads before any workflow. */
export const workflowPreloads = [join(workflowsPath, `no-stack-traces${extname(import.meta.filename)}`)];
export const workflowInterceptorModules = [join(workflowsPath, `interceptors${extname(import.meta.filename)}`)];

/** The folder of `package.json`: one up from `src`, two up from `dist/src`, three up from `dist/cjs/src`. */
export const packageRoot = dirname(find(['../package.json', '../../package.json', '../../../package.json']));

function find(places: string[]): string {
  return places.map((place) => join(import.meta.dirname, place)).find((path) => existsSync(path))!;
}
