import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { createKeyring } from '../../src/keyring.ts';
import { createCodec, createWorkerCodec, RejectedPayloadError } from '../../src/temporal/codec.ts';
import { findRejection } from '../../src/temporal/activity-envelope.ts';

const keyring = createKeyring([randomBytes(32)]);
const codec = createCodec(keyring);
const workflow = (workflowId: string) => ({ type: 'workflow' as const, namespace: 'default', workflowId });
const activity = { type: 'activity' as const, namespace: 'default', workflowId: 'sync:1', activityId: '1', isLocal: false };
const text = (value: string) => new Uint8Array(Buffer.from(value));

it.each([
  ['a value', { metadata: { encoding: text('json/plain'), more: text('x') }, data: text('"ada@example.com"') }],
  ['nothing, as protobuf writes it', { metadata: { encoding: text('binary/null') }, data: [] as unknown as Uint8Array }],
  ['no data at all', { metadata: { encoding: text('binary/null') }, data: null }],
])('returns %s unchanged, and encrypts it in between', async (_title, payload) => {
  const [sealed] = await codec.encode([payload], workflow('apply:1'));
  expect(Buffer.from(sealed!.data!).includes('ada@')).toBe(false);
  expect(Object.keys(sealed!.metadata!)).toEqual(['encoding']);
  const [opened] = await codec.decode([sealed!], workflow('apply:1'));
  expect(opened!.metadata).toEqual(payload.metadata);
  expect(Buffer.from(opened!.data!)).toEqual(Buffer.from(payload.data ?? []));
});

const plain = { metadata: { encoding: text('json/plain') }, data: text('1') };

it.each([
  ['another workflow', workflow('apply:1'), workflow('apply:2')],
  ['a workflow that a schedule did not start', workflow('apply:1'), workflow('apply:1-2026-11-22T06:00:00Z')],
  ['an activity', workflow('sync:1'), activity],
  ['another activity', activity, { ...activity, activityId: '2' }],
  ['a local activity', activity, { ...activity, isLocal: true }],
  ['an activity of another workflow', activity, { ...activity, workflowId: 'sync:2' }],
  ['an activity of no workflow', { ...activity, workflowId: undefined! }, { ...activity, workflowId: undefined! }],
])('does not open a payload that is sealed for something else in %s', async (_title, from, to) => {
  const sealed = await codec.encode([plain], from);
  await expect(codec.decode(sealed, to)).rejects.toBeInstanceOf(RejectedPayloadError);
});

it.each(['sync-tick:1', 'sweep', 'retain', 'process-events:schedule'])('opens the payload of a schedule for %s', async (workflowId) => {
  const sealed = await codec.encode([plain], workflow(workflowId));
  expect(await codec.decode(sealed, workflow(`${workflowId}-2026-11-22T06:00:00Z`))).toEqual([plain]);
});

it.each([
  ['plain', plain, 'not sealed'],
  ['without an encoding, as protobuf writes it', { metadata: { encoding: [] as unknown as Uint8Array }, data: null }, 'not sealed'],
  ['only labeled as sealed', { metadata: { encoding: text('binary/rollcall-sealed') }, data: null }, 'sealed under a key'],
])('rejects a payload that is %s', async (_title, payload, reason) => {
  await expect(codec.decode([payload], workflow('apply:1'))).rejects.toThrow(reason);
  // A worker's codec does not fail the task, which would be retried forever.
  const [marker] = await createWorkerCodec(keyring).decode([payload], workflow('apply:1'));
  expect(findRejection(JSON.parse(Buffer.from(marker!.data!).toString()))).toContain(reason);
});

it("does not fail for a payload without a workflow, such as the memo of a stranger's schedule", async () => {
  const [marker] = await codec.decode([plain]);
  expect(findRejection(JSON.parse(Buffer.from(marker!.data!).toString()))).toContain('not sealed');
});
