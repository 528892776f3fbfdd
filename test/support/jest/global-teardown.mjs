export default async function globalTeardown() {
  // Without workers, the tests ran in this process.
  await globalThis.stopSharedService?.();
  await globalThis.stopServers();
}
