// Bundles the workflows of a build: `node scripts/bundle.mjs dist`. A worker starts faster with a bundle than with a folder.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const workflowsPath = resolve(process.argv[2] ?? 'dist', 'workflows');
const { code } = await bundleWorkflowCode({
  workflowsPath,
  workflowInterceptorModules: [resolve(workflowsPath, 'interceptors.js')],
  // Before any workflow.
  preloadModules: [resolve(workflowsPath, 'no-stack-traces.js')],
  logger: new DefaultLogger('WARN'),
});
await writeFile(resolve(workflowsPath, 'bundle.cjs'), code);
