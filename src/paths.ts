import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';

/** The folder of workflows: beside `src` in the repository, beside `dist/src` in a build. */
export const workflowsPath = join(import.meta.dirname, '../workflows');
export const workflowBundlePath = join(workflowsPath, 'bundle.cjs');
/** What a bundle loads before any workflow. */
export const workflowPreloads = [join(workflowsPath, `no-stack-traces${extname(import.meta.filename)}`)];

/** The folder of `package.json`: one up from `src`, two up from `dist/src`. */
export const packageRoot = [join(import.meta.dirname, '..'), join(import.meta.dirname, '../..')].find((folder) =>
  existsSync(join(folder, 'package.json')),
)!;
