// Bundles the workflows of a build: `node scripts/bundle.mjs dist`. A worker starts faster with a bundle than with a folder.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const build = pathToFileURL(resolve(process.argv[2] ?? 'dist')).href;
const { workflowBundlePath, workflowInterceptorModules, workflowPreloads, workflowsPath } = await import(`${build}/src/paths.js`);
const logger = new DefaultLogger('WARN');
const { code } = await bundleWorkflowCode({ workflowsPath, workflowInterceptorModules, preloadModules: workflowPreloads, logger });
await writeFile(workflowBundlePath, code);
