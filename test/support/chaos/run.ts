import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { openDatabase } from '../../../src/store/database.ts';
import { endWatches } from '../../../src/store/deliveries/wake-flags.ts';
import { isHarmlessCoreLine } from '../core-lines.ts';
import { retryEvery } from '../retry-schedules.ts';
import { request, toTestDirectory, type TestDirectory } from '../service.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';
import { createFaults, type World } from './faults.ts';
import type { Figure } from './figures.ts';
import { findViolations, type Side } from './find-violations.ts';
import { createPart } from './part.ts';
import { startProviders } from './providers.ts';
import { createRandom } from './random.ts';
import { startUnreliableReceiver, type Receiver } from './receiver.ts';
import { startServers } from './servers.ts';

export interface ChaosOptions {
  /** The time with faults: half of it with deliveries in batches, half in real time. */
  seconds: number;
  seed: number;
  /** On a busy machine it takes longer. The sweep runs within 100 s. */
  drainWithinSeconds?: number;
  /** How often recovery is measured. Each takes 20 seconds. */
  recoveryProbes?: number;
  /** From readiness, or from the death of one of two workers, to the last interrupted webhook. */
  recoverWithinMs?: number;
  /** How many times longer a delivery and the effects of an outage may take on a busy machine. */
  timeoutFactor?: number;
  say?: (line: string) => void;
  signal?: AbortSignal;
}

const directoryCount = 8;
const writers = 32;
const apiKey = 'chaos-key-of-32-characters-or-more';
const mostBehind = 150;
/** The sweep repairs a lost wake after 30 seconds at the earliest, so a slower wake was lost. */
const wakeWithinMs = 5_000;
/** A delivery that was interrupted while it watched for events waits for its retry with the wake flag set. */
const restWithinMs = 35_000;
const probes = 3;

/** Rollcall as processes with their own Postgres and Temporal, all of which fail repeatedly. */
export async function runChaos({
  seconds,
  seed,
  drainWithinSeconds = 25,
  recoveryProbes = 3,
  recoverWithinMs = 5_000,
  timeoutFactor = 1,
  say = () => undefined,
  signal: outer,
}: ChaosOptions): Promise<Figure[]> {
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  const signal = ending.signal;
  outer?.addEventListener('abort', () => ending.abort(outer.reason));
  const ends: (() => PromiseLike<unknown>)[] = [];
  const random = (stream: number) => createRandom(seed, stream);
  try {
    return await run();
  } finally {
    ending.abort();
    for (const end of ends.toReversed()) await end();
  }

  async function run(): Promise<Figure[]> {
    say(`seed ${seed}: ${seconds} s of faults, ${directoryCount} directories, ${writers} writers`);
    const folder = await temporaryFolder();
    ends.push(() => folder[Symbol.asyncDispose]());
    const servers = await startServers(folder.path);
    ends.push(() => Promise.all([servers.postgres.end(), servers.temporal.end()]));
    const db = openDatabase(servers.databaseUrl);
    ends.push(() => db.destroy());

    const env = {
      DATABASE_URL: servers.databaseUrl,
      TEMPORAL_ADDRESS: servers.temporalAddress,
      ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
      API_KEYS: apiKey,
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      WEBHOOK_TIMEOUT_MS: '1000',
      WEBHOOK_RETRY_SCHEDULE: retryEvery(0.2),
      SCIM_TIMEOUT_MS: '2000',
      DSYNC_WEBHOOK_BATCH_SIZE: '20',
    };
    const part = (name: string, command: 'api' | 'worker') => createPart({ name, command, env, folder: folder.path, signal });
    const world: World = {
      api: await part('api', 'api'),
      workers: [await part('worker 1', 'worker'), await part('worker 2', 'worker')],
      servers: [servers.postgres, servers.temporal],
    };
    const parts = [world.api, ...world.workers];
    ends.push(() => Promise.all(parts.map((one) => one.kill())));
    await Promise.all(parts.map((one) => one.start()));
    const receivers = await Promise.all(Array.from({ length: directoryCount }, (_, index) => startUnreliableReceiver(random(100 + index))));
    ends.push(() => Promise.all(receivers.map((receiver) => receiver.close())));
    const directories = await Promise.all(receivers.map((receiver, index) => createDirectory(world.api.baseUrl, index, receiver)));

    const providers = startProviders({
      directories,
      writers,
      random: (writer) => random(200 + writer),
      mayWrite: (directory, writes) => writes - receivers[directories.indexOf(directory)]!.acceptedTo() < mostBehind,
      signal,
    });
    endDrainsOften(db, signal);
    const cursors = watchCursors(db, directories, receivers, signal);
    const faults = createFaults({ world, pace: seconds > 60 ? 3 : 1, random, say, signal });
    say('deliveries in batches');
    const asking = processEventsEachSecond(world.api.baseUrl, signal);
    await faults.run((seconds / 2) * 1000);
    asking.stop();
    say('deliveries in real time');
    await faults.killAll({ DSYNC_WEBHOOK_BATCH_SIZE: '' });
    await faults.run((seconds / 2) * 1000);
    await faults.freezeWorker();

    say('all faults ended');
    for (const receiver of receivers) receiver.heal();
    const healedMs = Date.now();
    await providers.stop();
    const backlog = await readBacklog(db);
    const isDrained = await untilDrained(db, drainWithinSeconds);
    const drainSeconds = round((Date.now() - healedMs) / 1000);
    const leftUp = isDrained ? await countFlagsLeftUp(db) : 0;
    const wakes = isDrained && leftUp === 0 ? await probeWakes() : [];
    say('recovery');
    const recoveries = isDrained ? await probeRecovery() : { readyMs: 0, webhooksMs: 0, takeoverMs: 0 };
    await Promise.all(parts.map((one) => one.stop()));
    const sides = directories.map((directory, index): Side => ({
      directory,
      receiver: receivers[index]!,
      acknowledged: providers.acknowledged.get(directory.id)!,
    }));
    const lines = (await Promise.all(parts.map((one) => one.log()))).flatMap((log) => log.split('\n').filter(Boolean));
    return [
      ...(await findViolations(db, sides, faults.faults, timeoutFactor)),
      { title: 'Cursors ahead of their receiver', value: cursors.ahead(), atMost: 0 },
      { title: 'Acknowledged writes', value: sides.reduce((sum, { acknowledged }) => sum + acknowledged.writes, 0) },
      ...Object.entries(providers.responses).map(([response, value]) => ({ title: `Providers: ${response}`, value })),
      { title: 'Wrong responses to providers', value: providers.wrong.length, atMost: 0, details: providers.wrong },
      ...kindsOf(faults.faults.map(({ kind }) => kind)),
      { title: 'Deliveries that the sweep woke', value: countSwept(lines) },
      { title: 'Unexpected errors in the logs', value: errorsIn(lines).length, atMost: 0, details: errorsIn(lines) },
      { title: 'Events behind when all faults ended', value: backlog },
      { title: 'Time to catch up', value: drainSeconds, unit: ' s', atMost: drainWithinSeconds },
      { title: 'Wake flags left set while idle', value: leftUp, atMost: 0 },
      { title: 'Slowest delivery after an idle time', value: Math.max(0, ...wakes), unit: ' ms', atMost: timeoutFactor * wakeWithinMs },
      { title: 'Recovery: all processes killed, until they are ready', value: recoveries.readyMs, unit: ' ms' },
      { title: 'Recovery: then until the last interrupted webhook', value: recoveries.webhooksMs, unit: ' ms', atMost: recoverWithinMs },
      {
        title: 'Recovery: one of two workers killed, until the last interrupted webhook',
        value: recoveries.takeoverMs,
        unit: ' ms',
        atMost: recoverWithinMs,
      },
    ];

    /** The slowest recovery of some rounds. In each, a webhook of every directory waits for its response. */
    async function probeRecovery() {
      const worst = { readyMs: 0, webhooksMs: 0, takeoverMs: 0 };
      for (let probe = 0; probe < recoveryProbes; probe += 1) {
        let accepted = await interruptWebhooks(`killed-all-${probe}`);
        let fromMs = Date.now();
        await faults.killAll({});
        const readyAtMs = Date.now();
        worst.readyMs = Math.max(worst.readyMs, readyAtMs - fromMs);
        await accepted();
        worst.webhooksMs = Math.max(worst.webhooksMs, Date.now() - readyAtMs);
        await untilDrained(db, drainWithinSeconds);
        accepted = await interruptWebhooks(`killed-worker-${probe}`);
        fromMs = Date.now();
        const restarted = faults.killWorker();
        await accepted();
        worst.takeoverMs = Math.max(worst.takeoverMs, Date.now() - fromMs);
        await restarted;
        await untilDrained(db, drainWithinSeconds);
      }
      return worst;
    }

    /** Returns a function that waits until each of them was sent again and acknowledged. */
    async function interruptWebhooks(name: string): Promise<() => Promise<void>> {
      const releases = receivers.map((receiver) => receiver.hold());
      const waits = await Promise.all(
        directories.map(async (directory, index) => {
          const receiver = receivers[index]!;
          const [receipts, before] = [receiver.receipts.length, receiver.acceptedTo()];
          await directory.scim('POST', '/Users', { userName: `${name}@example.com` });
          await until(() => receiver.receipts.length > receipts, { everyMs: 5 });
          return () => until(() => receiver.acceptedTo() > before, { timeoutMs: 60_000, everyMs: 5 });
        }),
      );
      for (const release of releases) release();
      return async () => void (await Promise.all(waits.map((wait) => wait())));
    }

    async function probeWakes(): Promise<number[]> {
      const wait = random(2);
      const waits = directories.map(() => Array.from({ length: probes }, () => wait.between(0, 1_100)));
      const tried = await Promise.all(
        directories.map(async (directory, index) => {
          const took: number[] = [];
          for (const [probe, waitMs] of waits[index]!.entries()) {
            await delay(waitMs, undefined, { signal });
            const before = receivers[index]!.acceptedTo();
            const fromMs = Date.now();
            await directory.scim('POST', '/Users', { userName: `probe-${probe}@example.com` });
            await until(() => receivers[index]!.acceptedTo() > before, { timeoutMs: timeoutFactor * wakeWithinMs * 2, everyMs: 5 }).catch(
              () => undefined,
            );
            took.push(Date.now() - fromMs);
          }
          return took;
        }),
      );
      await untilDrained(db, drainWithinSeconds);
      return tried.flat();
    }
  }
}

async function createDirectory(baseUrl: string, index: number, receiver: Receiver): Promise<TestDirectory> {
  const { body } = await request(
    `${baseUrl}/api/v1/directory-sync`,
    'POST',
    { tenant: `tenant-${index}`, product: 'chaos', webhook_url: receiver.url, log_webhook_events: true },
    { authorization: `Api-Key ${apiKey}` },
  );
  const directory = toTestDirectory(baseUrl, body.data);
  receiver.trust(directory.webhookSecret);
  return directory;
}

/** The scheduler of deliveries in batches. */
function processEventsEachSecond(baseUrl: string, signal: AbortSignal) {
  const stopping = new AbortController();
  const run = async () => {
    while (!stopping.signal.aborted && !signal.aborted) {
      const path = `${baseUrl}/api/v1/dsync/cron/process-events`;
      await request(path, 'POST', undefined, { authorization: `Api-Key ${apiKey}` }).catch(() => undefined);
      await delay(1_000);
    }
  };
  void run();
  return { stop: () => stopping.abort() };
}

/** Deliveries become idle again and again, when a wake could be lost. Otherwise they would wait for events all the time. */
function endDrainsOften(db: Knex, signal: AbortSignal): void {
  const endDrains = async () => {
    while (!signal.aborted) {
      const ids = db('directories').pluck<string[]>('id');
      // Postgres may be down.
      await ids.then((found) => endWatches(db, found)).catch(() => undefined);
      await delay(700);
    }
  };
  void endDrains();
}

/** A cursor in Postgres must not be ahead of its receiver, which is read later. */
function watchCursors(db: Knex, directories: TestDirectory[], receivers: Receiver[], signal: AbortSignal) {
  let ahead = 0;
  const look = async () => {
    const rows = await db('webhook_endpoints').select<{ id: string; acked: number }[]>({ id: 'directory_id', acked: 'acked_sequence' });
    for (const { id, acked } of rows) {
      const receiver = receivers[directories.findIndex((directory) => directory.id === id)]!;
      if (acked > receiver.acceptedTo()) ahead += 1;
    }
  };
  const watch = async () => {
    while (!signal.aborted) {
      await look().catch(() => undefined);
      await delay(50);
    }
  };
  void watch();
  return { ahead: () => ahead };
}

async function readBacklog(db: Knex): Promise<number> {
  const [row] = await db('directories')
    .join('webhook_endpoints', 'webhook_endpoints.directory_id', 'directories.id')
    .select<{ behind: number }[]>(db.raw('cast(sum(last_sequence - acked_sequence) as float8) as behind'));
  return row!.behind;
}

/** A wake-up that only the sweep has repaired counts as lost. Lost events are another figure. */
const untilDrained = (db: Knex, drainWithinSeconds: number): Promise<boolean> =>
  until(async () => (await readBacklog(db)) === 0, { timeoutMs: (drainWithinSeconds + 5) * 1000, everyMs: 50 }).catch(() => false);

/** A delivery with a set flag that no worker has would never be woken. */
async function countFlagsLeftUp(db: Knex): Promise<number> {
  const read = async () => (await db('webhook_endpoints').where({ wake: true }).whereNull('worker_id').select('id')).length;
  await until(async () => (await read()) === 0, { timeoutMs: restWithinMs }).catch(() => undefined);
  return read();
}

function kindsOf(kinds: string[]): Figure[] {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a.localeCompare(b)).map(([kind, value]) => ({ title: `Faults: ${kind}`, value }));
}

const countSwept = (lines: string[]) =>
  lines.reduce((sum, line) => sum + Number(/"directories":(\d+),"msg":"woke stalled deliveries"/.exec(line)?.[1] ?? 0), 0);

/** Lines that no outage explains. A process that starts while Postgres is down says so in a plain line. */
const errorsIn = (lines: string[]) => lines.filter((line) => /^\{"level":[56]0,/.test(line) && !isHarmlessCoreLine(line));

const round = (value: number) => Math.round(value * 10) / 10;
