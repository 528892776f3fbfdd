import { afterAll, beforeAll } from '@jest/globals';
import { startDirectService, type DirectService } from './direct-service.ts';
import { startTestService, type TestService } from './service.ts';

interface Stoppable {
  stop(): Promise<void>;
}

/** A fake provider and a service that reads from it: started before the tests of a file, and stopped after them. */
export function useWithProvider<Fake extends Stoppable, Service extends Stoppable>(
  startFake: () => Promise<Fake>,
  startService: (fake: Fake) => Promise<Service>,
  onStarted: (fake: Fake, service: Service) => void,
): void {
  let fake: Fake | undefined;
  let service: Service | undefined;
  beforeAll(async () => {
    fake = await startFake();
    service = await startService(fake);
    onStarted(fake, service);
  });
  afterAll(async () => {
    await service?.stop();
    await fake?.stop();
  });
}

/**
 * For tests of what a sync does, not of how it is executed: `npm run test:all` runs them with Temporal, and `npm test` without it, by the same
 * state machine and in half the time.
 */
export const startSyncService = (settings: NodeJS.ProcessEnv): Promise<DirectService | TestService> =>
  process.env['TEST_ALL'] === undefined ? startDirectService(settings) : startTestService(settings);
