import { afterAll, beforeAll } from '@jest/globals';
import { startFakeGoogle, type FakeGoogle } from './google/fake-google.ts';
import { googleEnv } from './pulled-directories.ts';
import { startDirectService, type DirectService } from './direct-service.ts';
import { startTestService, type TestService } from './service.ts';

interface GoogleService<Service = TestService> {
  google: FakeGoogle;
  service: Service;
}

/** A service that reads from a fake Google: started before the tests of a file, and stopped after them. */
export const useGoogleService = (
  onStarted: (started: GoogleService) => void,
  env: NodeJS.ProcessEnv = {},
  options: Parameters<typeof startTestService>[1] = {},
): void => useStarted(onStarted, (google) => startTestService({ ...googleEnv(google), ...env }, options));

/**
 * For tests of what a sync does, not of how it is executed: `npm run test:all` runs them with Temporal, and `npm test` without it, by the same
 * state machine and in half the time.
 */
export const useSyncService = (onStarted: (started: GoogleService<DirectService>) => void, env: NodeJS.ProcessEnv = {}): void =>
  useStarted<DirectService>(onStarted, (google) => {
    const settings = { ...googleEnv(google), ...env };
    return process.env['TEST_ALL'] === undefined ? startDirectService(settings) : startTestService(settings);
  });

function useStarted<Service extends Pick<TestService, 'stop'>>(
  onStarted: (started: GoogleService<Service>) => void,
  start: (google: FakeGoogle) => Promise<Service>,
): void {
  let google: FakeGoogle | undefined;
  let service: Service | undefined;
  beforeAll(async () => {
    google = await startFakeGoogle();
    service = await start(google);
    onStarted({ google, service });
  });
  afterAll(async () => {
    await service?.stop();
    await google?.stop();
  });
}
