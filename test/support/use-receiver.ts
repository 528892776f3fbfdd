import { afterEach, beforeEach } from '@jest/globals';
import { startReceiver, type Receiver } from './receiver.ts';

/** A receiver for the tests of a file, started anew for each of them. */
export function useReceiver(): Receiver {
  const receiver = {} as Receiver;
  beforeEach(async () => {
    await startReceiver(receiver);
  });
  afterEach(() => receiver.close());
  return receiver;
}
