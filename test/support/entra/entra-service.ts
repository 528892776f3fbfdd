import type { DirectService } from '../direct-service.ts';
import { startTestService, type TestService } from '../service.ts';
import { startSyncService, useWithProvider } from '../start-with-provider.ts';
import { startFakeEntra, type FakeEntra } from './fake-entra.ts';

interface EntraService<Service = TestService> {
  service: Service;
  entra: FakeEntra;
}

/** Tests count requests: directories of earlier tests must not be synced by their schedules meanwhile. */
const rarely = { DSYNC_ENTRA_CRON_INTERVAL: '604800' };

/** A service that reads from a fake Microsoft. */
export const useEntraService = (onStarted: (started: EntraService) => void, env: NodeJS.ProcessEnv = {}): void =>
  useWithProvider(
    startFakeEntra,
    (entra) => startTestService({ ...entra.env(), ...rarely, ...env }),
    (entra, service) => onStarted({ entra, service }),
  );

/** The same, as `startSyncService` starts it. */
export const useEntraSyncService = (onStarted: (started: EntraService<DirectService>) => void, env: NodeJS.ProcessEnv = {}): void =>
  useWithProvider(
    startFakeEntra,
    (entra): Promise<DirectService> => startSyncService({ ...entra.env(), ...rarely, ...env }),
    (entra, service) => onStarted({ entra, service }),
  );
