import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '../../src/ids.ts';
import { createWorkflowClient } from '../../src/temporal/client.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  // No worker delivers here.
  service = await startTestService({}, { deliver: false });
});
afterAll(() => service.stop());

it('stops waiting when no worker accepts an update, and leaves a signal for a later worker', async () => {
  const workflows = createWorkflowClient(service.client, { pauseTimeoutMs: 500 });
  const directoryId = newId();
  expect(await workflows.pauseDelivery(directoryId)).toBe(false);
  await workflows.resumeDelivery(directoryId);
  const { events } = await service.client.workflow.getHandle(`deliver:${directoryId}`).fetchHistory();
  expect(events!.filter(({ workflowExecutionSignaledEventAttributes: signal }) => signal)).toHaveLength(1);
});
