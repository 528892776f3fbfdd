import { isBuilt } from '../../../scripts/prepare/build.mjs';

/** Starts Postgres and Temporal, once for all test files. */
export default async function globalSetup() {
  if (!isBuilt())
    throw new Error('The build, which tests run, is not current: use `npm test`, or run `node scripts/prepare.mjs --temporal` before.');
  const { startServers } = await import('../../../dist/test/support/servers.js');
  globalThis.stopServers = await startServers();
}
