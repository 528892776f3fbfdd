import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestNamespace } from '../support/service.ts';
import { setHistoryRetention } from '../../src/temporal/prepare-namespace.ts';

let temporal: Awaited<ReturnType<typeof createTestNamespace>>;
beforeAll(async () => {
  temporal = await createTestNamespace();
});
afterAll(() => temporal.connection.close());

const readRetention = async () => {
  const { connection, namespace } = temporal;
  const { config } = await connection.workflowService.describeNamespace({ namespace });
  return Number(config!.workflowExecutionRetentionTtl!.seconds);
};

it('sets how long a namespace keeps histories each time a process starts', async () => {
  expect(await readRetention()).toBe(86_400);
  for (const hours of [1, 1, 2]) {
    await setHistoryRetention(temporal.connection, temporal.namespace, hours * 3_600_000);
    expect(await readRetention()).toBe(hours * 3_600);
  }
});
