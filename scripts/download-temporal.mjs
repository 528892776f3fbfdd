// The SDK's own downloader, reached through the only door it has: it starts the server that it fetched, and we stop it.
import { TestWorkflowEnvironment } from '@temporalio/testing';

const [downloadDir] = process.argv.slice(2);
const environment = await TestWorkflowEnvironment.createLocal({
  server: { executable: { type: 'cached-download', downloadDir }, log: { format: 'pretty', level: 'error' } },
});
await environment.teardown();
