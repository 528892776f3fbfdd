import type { DirectService } from './direct-service.ts';
import { startFakeGoogle, type FakeGoogle } from './google/fake-google.ts';
import { googleEnv } from './pulled-directories.ts';
import { startTestService, type TestService } from './service.ts';
import { startSyncService, useWithProvider } from './start-with-provider.ts';

interface GoogleService<Service = TestService> {
  google: FakeGoogle;
  service: Service;
}

/** A service that reads from a fake Google. */
export const useGoogleService = (
  onStarted: (started: GoogleService) => void,
  env: NodeJS.ProcessEnv = {},
  options: Parameters<typeof startTestService>[1] = {},
): void =>
  useWithProvider(
    startFakeGoogle,
    (google) => startTestService({ ...googleEnv(google), ...env }, options),
    (google, service) => onStarted({ google, service }),
  );

/** The same, as `startSyncService` starts it. */
export const useSyncService = (onStarted: (started: GoogleService<DirectService>) => void, env: NodeJS.ProcessEnv = {}): void =>
  useWithProvider(
    startFakeGoogle,
    (google): Promise<DirectService> => startSyncService({ ...googleEnv(google), ...env }),
    (google, service) => onStarted({ google, service }),
  );
