import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { packageRoot, workflowBundlePath } from '../../src/paths.ts';
import { createKeyring } from '../../src/keyring.ts';
import { createWorkerCodec } from '../../src/temporal/codec.ts';
import { scheduledWorkflowIds } from '../../src/temporal/names.ts';
import { startFakeGoogle } from '../support/google/fake-google.ts';
import { createPulledDirectory, googleEnv, hold } from '../support/pulled-directories.ts';
import { fail, startReceiver, take } from '../support/receiver.ts';
import { ada, installRuntimeOnce, startTestService } from '../support/service.ts';
import { mappingPath } from '../support/attributes.ts';
import { retryEvery } from '../support/retry-schedules.ts';
import { until } from '../support/until.ts';

/**
 * Histories of released workflows, which must continue under new code. After a change under `patched()`, record new ones with
 * RECORD_HISTORIES=<name> and keep the old ones.
 */
const folder = join(packageRoot, 'test/fixtures/histories');
const encryptionKey = Buffer.alloc(32, 'histories are recorded under this');
const workflowBundle = { codePath: workflowBundlePath() };
const dataConverter = { payloadCodecs: [createWorkerCodec(createKeyring([encryptionKey]))] };

installRuntimeOnce();
/** Payloads open only under the id of their workflow. */
const replay = (recording: string) => {
  const { workflowId, history } = JSON.parse(recording) as { workflowId: string; history: unknown };
  return Worker.runReplayHistory({ workflowBundle, dataConverter }, history, workflowId);
};
const record = (file: string, workflowId: string, history: Parameters<typeof historyToJSON>[0]) =>
  writeFile(join(folder, `${file}.json`), `${JSON.stringify({ workflowId, history: JSON.parse(historyToJSON(history)) }, null, 2)}\n`);

const recorded = readdirSync(folder).filter((name) => name.endsWith('.json'));

it('has a history of every workflow', () => {
  const exports = readFileSync('workflows/index.ts', 'utf8').matchAll(/export \{ (.+?) \}/g);
  const names = [...exports].flatMap(([, some]) =>
    some!.split(', ').map((name) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)),
  );
  expect(names).toContain('directory-deletion');
  for (const name of names) expect(recorded.filter((file) => file.startsWith(`${name}.`))).not.toEqual([]);
});

it.each(recorded)('replays %s', async (name) => {
  await replay(readFileSync(join(folder, name), 'utf8'));
});

it.each([
  ['mutation-group', '"markerName": "core_local_activity"', '"markerName": "core_patch"'],
  ['event-delivery', '"name": "deliverEvents"', '"name": "somethingElse"'],
  ['directory-batches', '"name": "runDirectoryBatches"', '"name": "somethingElse"'],
  ['directory-sync', '"name": "executeSyncStep"', '"name": "somethingElse"'],
])('detects that %s does something else', async (prefix, was, became) => {
  const history = readFileSync(
    join(
      folder,
      recorded.find((name) => name.startsWith(prefix))!,
    ),
    'utf8',
  );
  expect(history).toContain(was);
  await expect(replay(history.replaceAll(was, became))).rejects.toThrow(DeterminismViolationError);
});

const name = process.env['RECORD_HISTORIES'];
if (name) {
  it(`records histories named ${name}`, async () => {
    expect(recorded.some((file) => file.endsWith(`.${name}.json`))).toBe(false);
    const receiver = await startReceiver();
    receiver.respond = (response, _request, count) => void response.writeHead(count === 1 ? 500 : 200).end();
    const operator = await startReceiver();
    const service = await startTestService({ WEBHOOK_RETRY_SCHEDULE: retryEvery(0.05), WEBHOOK_URL: operator.url }, { encryptionKey });
    try {
      const directory = await service.createDirectory({ webhook_url: receiver.url });
      await directory.scim('POST', '/Users', ada);
      await directory.scim('POST', '/Users', { userName: 'ben' });
      await until(() => receiver.received.length === 3);
      const deliver = service.client.workflow.getHandle(`deliver:${directory.id}`);
      await deliver.executeUpdate('pause');
      await deliver.executeUpdate('resume');
      await deliver.signal('retryNow');
      await service.api('DELETE', `/api/v1/directory-sync/${directory.id}`);
      await deliver.result();
      await service.client.workflow.getHandle(`delete:${directory.id}`).result();
      for (const [workflow, args] of [
        ['sweep', []],
        ['retention', []],
        ['eventProcessing', [[]]],
      ] as const) {
        const workflowId = scheduledWorkflowIds[workflow];
        await service.client.workflow.execute(workflow, { workflowId, taskQueue: 'rollcall-deliveries', args: [...args] });
      }
      await until(() => operator.received.length === 2);
      await service.client.workflow.getHandle('operator-events').signal('wake');
      const applied = await until(async () => {
        for await (const workflow of service.client.workflow.list({
          query: `WorkflowType = 'mutationGroup' and ExecutionStatus = 'Completed'`,
        }))
          return workflow;
        return undefined;
      });
      await mkdir(folder, { recursive: true });
      for (const [kind, workflowId] of [
        ['event-delivery', deliver.workflowId],
        ['directory-deletion', `delete:${directory.id}`],
        ['sweep', 'sweep'],
        ['retention', 'retain'],
        ['event-processing', scheduledWorkflowIds.eventProcessing],
        ['operator-delivery', 'operator-events'],
        ['mutation-group', applied.workflowId],
      ] as const) {
        const history = await service.client.workflow.getHandle(workflowId).fetchHistory();
        await record(`${kind}.${name}`, workflowId, history);
      }
    } finally {
      await service.stop();
      await Promise.all([receiver.close(), operator.close()]);
    }
  });

  it(`records the history of an erasure named ${name}`, async () => {
    const service = await startTestService({}, { encryptionKey });
    try {
      const directory = await service.createDirectory();
      const { body: user } = await directory.scim('POST', '/Users', ada);
      const { body } = await service.api('POST', `/api/v1/directory-sync/${directory.id}/users/${user.id}/erase`);
      const workflowId = `erase:${directory.id}:${body.data.id}`;
      await until(() => service.client.workflow.getHandle(workflowId).describe());
      await service.client.workflow.getHandle(workflowId).result();
      await record(`user-erasure.${name}`, workflowId, await service.client.workflow.getHandle(workflowId).fetchHistory());
    } finally {
      await service.stop();
    }
  });

  it(`records the history of a recomputation named ${name}`, async () => {
    const service = await startTestService({}, { encryptionKey });
    try {
      const directory = await service.createDirectory();
      await directory.scim('POST', '/Users', ada);
      const { body } = await service.api('PUT', mappingPath(directory.id), { attributes: {} });
      const workflowId = `recompute:${directory.id}:${body.data.recompute.id}`;
      await until(() => service.client.workflow.getHandle(workflowId).describe());
      await service.client.workflow.getHandle(workflowId).result();
      await record(`attribute-recompute.${name}`, workflowId, await service.client.workflow.getHandle(workflowId).fetchHistory());
    } finally {
      await service.stop();
    }
  });

  it(`records the history of a deletion in batches named ${name}`, async () => {
    const receiver = await startReceiver();
    receiver.respond = fail;
    const service = await startTestService({ WEBHOOK_RETRY_SCHEDULE: retryEvery(0.05) }, { encryptionKey });
    try {
      const directory = await service.createDirectory({ webhook_url: receiver.url, on_directory_delete: 'events' });
      await directory.scim('POST', '/Users', ada);
      await service.api('DELETE', `/api/v1/directory-sync/${directory.id}?confirm=1`);
      const handle = service.client.workflow.getHandle(`batches:${directory.id}`);
      // It waits for the webhook.
      await until(async () => (await handle.fetchHistory()).events!.some(({ timerStartedEventAttributes }) => timerStartedEventAttributes));
      receiver.respond = take;
      await service.api('PATCH', `/api/v1/directory-sync/${directory.id}`, { webhook_url: receiver.url });
      await handle.result();
      await record(`directory-batches.${name}`, handle.workflowId, await handle.fetchHistory());
    } finally {
      await service.stop();
      await receiver.close();
    }
  });

  it(`records histories of pulled directories named ${name}`, async () => {
    const google = await startFakeGoogle();
    google.addUser();
    const service = await startTestService(googleEnv(google), { encryptionKey });
    const { workflow, schedule } = service.client;
    const completed = (type: string) =>
      until(async () => {
        for await (const found of workflow.list({ query: `WorkflowType = '${type}' and ExecutionStatus = 'Completed'` })) return found;
        return undefined;
      });
    try {
      const [plain, canceled] = await Promise.all([createPulledDirectory(service, google), createPulledDirectory(service, google)]);
      await plain.sync();
      await workflow.getHandle(`sync:${plain.id}`).result();
      const groups = hold(google, canceled.isRequestFor('groups'));
      const runId = await canceled.begin();
      await groups.reached();
      await canceled.requestSync();
      await canceled.cancel(runId);
      await canceled.untilEnded(runId);
      groups.release();
      await workflow.getHandle(`sync:${canceled.id}`).result();
      // The next request starts other workflows under these ids.
      await record(`directory-sync.${name}`, `sync:${plain.id}`, await workflow.getHandle(`sync:${plain.id}`).fetchHistory());
      await record(
        `directory-sync.canceled-${name}`,
        `sync:${canceled.id}`,
        await workflow.getHandle(`sync:${canceled.id}`).fetchHistory(),
      );
      await service.api('POST', '/api/v1/dsync/cron/sync-google');
      await until(() => schedule.getHandle(`rollcall-sync:${plain.id}`).describe());
      await schedule.getHandle(`rollcall-sync:${plain.id}`).trigger();
      for (const [kind, workflowId] of [
        [`bulk-sync.${name}`, (await completed('bulkSync')).workflowId],
        [`scheduled-sync.${name}`, (await completed('scheduledSync')).workflowId],
      ] as const)
        await record(kind, workflowId, await workflow.getHandle(workflowId).fetchHistory());
    } finally {
      await service.stop();
      await google.stop();
    }
  });
}
