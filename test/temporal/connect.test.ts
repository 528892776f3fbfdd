import { expect, it } from '@jest/globals';
import { connectTemporal, disconnectTemporal } from '../../src/temporal/connect.ts';

it('leaves no enabled storage in the process after it disconnects', async () => {
  const connection = await connectTemporal({
    address: process.env['TEST_TEMPORAL_ADDRESS']!,
    namespace: 'default',
    apiKey: undefined,
    tls: undefined,
  });
  const { callContextStorage } = connection;
  await connection.withDeadline(Date.now() + 10_000, async () => {
    expect(callContextStorage.getStore()).toBeDefined();
    await disconnectTemporal(connection);
    expect(callContextStorage.getStore()).toBeUndefined();
  });
});
