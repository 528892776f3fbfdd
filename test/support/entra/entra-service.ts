import { afterAll, beforeAll } from '@jest/globals';
import { startDirectService, type DirectService } from '../direct-service.ts';
import { startTestService, type TestService } from '../service.ts';
import { startFakeEntra, type FakeEntra } from './fake-entra.ts';

interface EntraService<Service = TestService> {
  service: Service;
  entra: FakeEntra;
}

/** A service that reads from a fake Microsoft: started before the tests of a file, and stopped after them. */
export const useEntraService = (onStarted: (started: EntraService) => void, env: NodeJS.ProcessEnv = {}): void =>
  useStarted(onStarted, (entra) => startTestService({ ...entra.env(), ...env }));

/** As `useSyncService`: without Temporal in `npm test`, and with it in `npm run test:all`. */
export const useEntraSyncService = (onStarted: (started: EntraService<DirectService>) => void, env: NodeJS.ProcessEnv = {}): void =>
  useStarted<DirectService>(onStarted, (entra) => {
    const settings = { ...entra.env(), ...env };
    return process.env['TEST_ALL'] === undefined ? startDirectService(settings) : startTestService(settings);
  });

function useStarted<Service extends Pick<TestService, 'stop'>>(
  onStarted: (started: EntraService<Service>) => void,
  start: (entra: FakeEntra) => Promise<Service>,
): void {
  let entra: FakeEntra | undefined;
  let service: Service | undefined;
  beforeAll(async () => {
    entra = await startFakeEntra();
    service = await start(entra);
    onStarted({ entra, service });
  });
  afterAll(async () => {
    await service?.stop();
    await entra?.stop();
  });
}
