import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '../../src/ids.ts';
import { createSteerDelivery } from '../../src/temporal/steer-delivery.ts';
import { createWakeDelivery } from '../../src/temporal/wake-delivery.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  // Nobody works on deliveries here.
  service = await startTestService({}, { deliver: false });
});
afterAll(() => service.stop());

it('does not wait for ever where no worker takes the update, and leaves a signal for a later one', async () => {
  const options = { client: service.client };
  const steer = createSteerDelivery({ ...options, patienceMs: 500, wakeDelivery: createWakeDelivery(options) });
  const directoryId = newId();
  expect(await steer.pause(directoryId)).toBe(false);
  await steer.resume(directoryId);
  const { events } = await service.client.workflow.getHandle(`deliver:${directoryId}`).fetchHistory();
  expect(events!.filter(({ workflowExecutionSignaledEventAttributes: signal }) => signal)).toHaveLength(1);
});
