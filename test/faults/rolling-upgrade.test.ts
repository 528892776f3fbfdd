import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { packageRoot } from '../../src/paths.ts';
import { deliveryWorkflowId, renewSignal } from '../../src/temporal/names.ts';
import { expectInOrder, expectStored, receivedFor, untilDelivered } from '../support/deliveries.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { makeBuild, releases } from '../support/next-release.ts';
import { unexplainedLines, type RunningRollcall } from '../support/process.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { everyRound } from '../support/rounds.ts';
import { request, toTestDirectory, type TestDirectory } from '../support/service.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { startWriters } from '../support/writers.ts';

const testTimeoutMs = 400_000;
const pushedPerStep = 40;

let builds: TemporaryFolder;
let roots: { this: string; understands: string; takes: string };
let installation: Installation;
let receiver: Receiver;
let connection: Connection;
beforeAll(async () => {
  builds = await temporaryFolder();
  roots = {
    this: packageRoot,
    understands: await makeBuild(builds.at('understands'), releases.understands),
    takes: await makeBuild(builds.at('takes'), releases.takes),
  };
});
afterAll(async () => {
  await builds[Symbol.asyncDispose]();
});

interface Process extends RunningRollcall {
  release: keyof typeof roots;
}

it.each(everyRound)(
  'loses nothing and fails no workflow while two processes are replaced by newer ones and back, under load (round %i)',
  async () => {
    [installation, receiver] = await Promise.all([createInstallation({ env: { PORT: '0', DATABASE_POOL_SIZE: '4' } }), startReceiver()]);
    connection = await Connection.connect({ address: process.env['TEST_TEMPORAL_ADDRESS']! });
    const client = new Client({ connection, namespace: installation.env['TEMPORAL_NAMESPACE']! });
    const ended: Process[] = [];
    const start = async (release: Process['release']): Promise<Process> => ({
      ...(await installation.start({ root: roots[release] })),
      release,
    });
    let running = [await start('this'), await start('this')];
    const directories = await Promise.all([1, 2].map(() => createDirectory()));
    const writers = startWriters(directories);
    const untilPushed = async () => {
      const before = writers.acknowledged.length;
      await until(() => writers.acknowledged.length > before + pushedPerStep, { timeoutMs: 60_000 });
    };
    /** Starts a process of the release before it ends one of the other. */
    async function replaceAll(release: Process['release']) {
      const replaced = running;
      for (const old of replaced) {
        running = [...running, await start(release)];
        for (const { baseUrl } of running) expect((await fetch(`${baseUrl}/health/ready`)).status).toBe(200);
        await untilPushed();
        running = running.filter((one) => one !== old);
        // Requests that it has received are completed.
        old.signal('SIGTERM');
        expect(await old.exited).toEqual({ code: 0, signal: null });
        ended.push(old);
        await untilPushed();
      }
    }
    try {
      await untilPushed();
      await replaceAll('understands');
      await replaceAll('takes');
      // Deliveries continue as new, with the new step.
      for (const { id } of directories) await client.workflow.getHandle(deliveryWorkflowId(id)).signal(renewSignal);
      await untilPushed();
      await replaceAll('understands');
      await writers.stop();
      expect([writers.wrong, Object.keys(writers.responses).filter((kind) => kind !== '201')]).toEqual([[], []]);
      for (const directory of directories) {
        const lastSequence = await untilDelivered(installation.db, directory);
        await expectStored(installation.db, directory, writers.acknowledged);
        expectInOrder(receivedFor(receiver, directory), directory, lastSequence);
      }
      expect([...ended, ...running].flatMap(unexplainedLines)).toEqual([]);
      await expectSharedWorkflows(client, [...ended, ...running]);
    } finally {
      await writers.stop();
      await Promise.all(running.map((one) => one.kill()));
      await Promise.all([installation.remove(), receiver.close(), connection.close()]);
    }

    async function createDirectory(): Promise<TestDirectory> {
      const { body } = await request(
        `${running[0]!.baseUrl}/api/v1/directory-sync`,
        'POST',
        { tenant: 'acme', product: 'app', webhook_url: receiver.url, log_webhook_events: true },
        { authorization: `Api-Key ${installation.env['API_KEYS']}` },
      );
      // A load balancer sends no more requests to a process that is about to end.
      let sent = 0;
      const scim: TestDirectory['scim'] = (...args) =>
        toTestDirectory(running[(sent += 1) % running.length]!.baseUrl, body.data).scim(...args);
      return { ...toTestDirectory('', body.data), scim };
    }
  },
  testTimeoutMs,
);

/** Expected: a signal arrived while a run continued as new. Temporal repeats the task, which handles it. */
const signalWhileEnding = 'UnhandledCommand';

/** Expects that no workflow failed or is stuck, and that the older release has continued workflows of both kinds with the new step. */
async function expectSharedWorkflows(client: Client, processes: Process[]) {
  const releaseOf = (identity: string) => processes.find(({ pid }) => identity.startsWith(`${pid}@`))!.release;
  const open = 'WorkflowType = "mutationGroup" and ExecutionStatus = "Running"';
  await until(async () => (await client.workflow.count(open)).count === 0, { timeoutMs: 30_000 });
  const failures: string[] = [];
  const handedOver = new Set<string>();
  const withStep = new Set<string>();
  for await (const { workflowId, runId, type, status } of client.workflow.list()) {
    if (!['RUNNING', 'COMPLETED', 'CONTINUED_AS_NEW'].includes(status.name)) failures.push(`${workflowId} ${status.name}`);
    if (type !== 'mutationGroup' && type !== 'eventDelivery') continue;
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const tasks = events!.flatMap((event) => event.workflowTaskCompletedEventAttributes?.identity ?? []);
    const failed = events!.flatMap((event) => event.workflowTaskFailedEventAttributes?.failure?.message ?? []);
    failures.push(...failed.filter((message) => message !== signalWhileEnding).map((message) => `${workflowId} ${message}`));
    const releasesOfRun = tasks.map(releaseOf);
    const hasStep = events!.some((event) => Number(event.timerStartedEventAttributes?.startToFireTimeout?.nanos) === 1_000_000);
    if (hasStep) withStep.add(type);
    if (hasStep && releasesOfRun.includes('understands')) handedOver.add(type);
  }
  expect(failures).toEqual([]);
  expect([...withStep].sort()).toEqual(['eventDelivery', 'mutationGroup']);
  expect(handedOver).toContain('eventDelivery');
}
