import { randomBytes } from 'node:crypto';
import type { Context } from '@temporalio/activity';
import type { WorkflowFailedError } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '../../src/ids.ts';
import { createKeyring } from '../../src/keyring.ts';
import { createEnvelopeInterceptors } from '../../src/temporal/activity-interceptors.ts';
import { createCodec } from '../../src/temporal/codec.ts';
import { shareTestService, type TestService } from '../support/service.ts';

/** The errors of Temporal's commands and payloads that Rollcall rejects. Other tests compare the type, or a part of the message. */

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());

const workflow = (workflowId?: string) => ({ type: 'workflow' as const, namespace: 'default', workflowId: workflowId! });
const plain = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('1') };
const newCodec = () => createCodec(createKeyring([randomBytes(32)]));
const codec = newCodec();
const sealed = () => codec.encode([plain], workflow('apply:1'));

it.each([
  ['plain', async () => codec.decode([plain], workflow('apply:1')), 'The payload is not sealed.'],
  ['of no workflow', async () => codec.decode(await sealed(), workflow()), 'The payload belongs to no workflow.'],
  ['of another', async () => codec.decode(await sealed(), workflow('apply:2')), 'The payload is sealed for another workflow or activity.'],
  [
    'sealed elsewhere',
    async () => newCodec().decode(await sealed(), workflow('apply:1')),
    'The payload is sealed under a key that is not in ENCRYPTION_KEYS.',
  ],
])('rejects a payload that is %s', async (_, decode, message) => {
  await expect(decode()).rejects.toMatchObject({ message });
});

it('rejects the input of another activity', async () => {
  const info = { inWorkflow: true, workflowExecution: { runId: 'one' }, activityType: 'sweep' };
  const { inbound } = createEnvelopeInterceptors({ info } as unknown as Context);
  const args = [{ runId: 'another', activityType: 'sweep', args: [] }];
  await expect(inbound!.execute!({ args, headers: {} }, () => Promise.resolve())).rejects.toMatchObject({
    message: 'The input belongs to another activity.',
  });
});

it('rejects a workflow whose ID belongs to another type', async () => {
  const options = { workflowId: `apply:${newId()}`, taskQueue: 'rollcall-deliveries', args: ['1'] };
  const error: unknown = await service.client.workflow.execute('directoryDeletion', options).catch((reason: unknown) => reason);
  expect((error as WorkflowFailedError).cause).toMatchObject({
    message: 'A workflow of type directoryDeletion must not have this ID.',
  });
});
