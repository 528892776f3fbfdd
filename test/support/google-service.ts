import { afterAll, beforeAll } from '@jest/globals';
import { startFakeGoogle, type FakeGoogle } from './google/fake-google.ts';
import { googleEnv } from './pulled-directories.ts';
import { startTestService, type TestService } from './service.ts';

interface GoogleService {
  google: FakeGoogle;
  service: TestService;
}

/** A service that reads from a fake Google: started before the tests of a file, and stopped after them. */
export function useGoogleService(
  onStarted: (started: GoogleService) => void,
  env: NodeJS.ProcessEnv = {},
  options: Parameters<typeof startTestService>[1] = {},
): void {
  let google: FakeGoogle | undefined;
  let service: TestService | undefined;
  beforeAll(async () => {
    google = await startFakeGoogle();
    service = await startTestService({ ...googleEnv(google), ...env }, options);
    onStarted({ google, service });
  });
  afterAll(async () => {
    await service?.stop();
    await google?.stop();
  });
}
