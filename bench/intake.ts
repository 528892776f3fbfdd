import type { Closing } from './support/closing.ts';
import { createDirectories, removeDirectories } from './support/directories.ts';
import { describeMachine, readMachine } from './support/machine.ts';
import type { Options } from './support/options.ts';
import { startReceiver } from './support/receiver.ts';
import { measureRow, type Contender, type Row, type Summary } from './support/rows.ts';
import { startServers, type Servers } from './support/servers.ts';
import { prepareRollcall, startAncestor, startRollcall, startRollcallWorker } from './support/sides.ts';
import { formatNumber, startTable } from './support/table.ts';

interface WebhookRow extends Row {
  webhooksPerSecond: number;
}

const latencyColumns = ['p50', 'p95', 'p99'].map((title) => ({ title: `${title} ms`, width: 6 }));

const introduction = `
Users created by SCIM (POST /Users), by writers that each wait for the answer. Both services are one Node process with 10 database
connections, on the same Postgres (fsync on, default settings). Slices of equally many requests alternate; figures are medians.
  Rollcall   checks the directory's secret; starts a Temporal workflow for the users that wait, which locks their directory and writes
             users, events with gapless numbers, outcomes and the delivery's wake flag in one transaction.
  ancestor   @boxyhq/saml-jackson 26.2.0 behind a bare HTTP server; reads the directory twice, looks for the e-mail address, and writes
             the user and two index rows in one transaction: 11 statements. It keeps no event.
No webhook is configured in the first table.
`;

/** Returns the raw figures. */
export async function measureIntake(options: Options, closing: Closing): Promise<object> {
  const machine = readMachine();
  console.log(describeMachine(machine));
  console.log(introduction);
  const servers = await startServers(closing);
  const environment = await prepareRollcall(servers);
  const contenders = await startContenders(servers, environment, options, closing);
  const rows = await measureRows(contenders, options, closing);
  const rollcall = contenders.find(({ side }) => side === 'rollcall');
  const webhookRows = rollcall ? await measureWebhookRows({ rollcall, environment, rows, options }, closing) : [];
  printFailures([...rows, ...webhookRows]);
  printAims(rows);
  return { machine, options, rows, webhookRows };
}

async function startContenders(servers: Servers, environment: Record<string, string>, { sides, directories }: Options, closing: Closing) {
  const contenders: Contender[] = [];
  for (const side of sides) {
    const running = await (side === 'rollcall' ? startRollcall(servers, environment, closing) : startAncestor(servers, closing));
    contenders.push({ ...running, directories: await createDirectories({ ...running, count: Math.max(...directories) }) });
  }
  return contenders;
}

async function measureRows(contenders: Contender[], options: Options, closing: Closing): Promise<Row[]> {
  // Cold code would count against whoever comes first.
  await measureRow(contenders, { seconds: 1, rounds: 2, directories: 1, writers: 8 }, closing);
  const print = startTable([
    { title: 'dirs', width: 4 },
    { title: 'writers', width: 7 },
    ...contenders.flatMap(({ side }) => [{ title: side === 'rollcall' ? 'Rollcall/s' : 'ancestor/s', width: 10 }, ...latencyColumns]),
    { title: 'ratio', width: 5 },
  ]);
  const rows: Row[] = [];
  for (const directories of options.directories) {
    for (const writers of options.writers) {
      const row = await measureRow(contenders, { ...options, directories, writers }, closing);
      rows.push(row);
      const speeds = contenders.flatMap(({ side }) => showSpeed(row.sides[side]!));
      print([String(directories), String(writers), ...speeds, row.ratio === undefined ? '' : `${formatNumber(row.ratio)}x`]);
    }
  }
  printCpu(contenders, rows);
  return rows;
}

/** What limits a row: the machine's cores are shared by all of these, and by the writers. */
function printCpu(contenders: Contender[], rows: Row[]) {
  console.log('\nProcessor time for each of these users, in ms:\n');
  const parts = contenders.flatMap(({ side, pids }) => Object.keys(pids).map((part) => ({ side, part })));
  const print = startTable([
    { title: 'dirs', width: 4 },
    { title: 'writers', width: 7 },
    ...parts.map(({ side, part }) => ({ title: `${side === 'rollcall' ? 'Rollcall' : 'ancestor'}: ${part}`, width: 18 })),
  ]);
  for (const { directories, writers, sides } of rows)
    print([String(directories), String(writers), ...parts.map(({ side, part }) => formatNumber(sides[side]!.cpuMsPerCreate[part]!))]);
}

interface WebhookRowsOptions {
  rollcall: Contender;
  environment: Record<string, string>;
  /** The same without a webhook. */
  rows: Row[];
  options: Options;
}

/** Deliveries share the machine with the intake. What is not delivered when a row ends goes with its directories. */
async function measureWebhookRows({ rollcall, environment, rows, options }: WebhookRowsOptions, closing: Closing): Promise<WebhookRow[]> {
  console.log('\nRollcall with a webhook on this machine for each directory, and a worker process that delivers:\n');
  await startRollcallWorker(environment, closing);
  const receiver = await startReceiver(closing);
  const print = startTable([
    { title: 'dirs', width: 4 },
    { title: 'writers', width: 7 },
    { title: 'Rollcall/s', width: 10 },
    ...latencyColumns,
    { title: 'to no webhook', width: 13 },
    { title: 'webhooks/s', width: 10 },
  ]);
  const webhookRows: WebhookRow[] = [];
  for (const { directories, writers, sides } of rows) {
    const made = await createDirectories({ ...rollcall, count: directories, webhookUrl: receiver.url });
    const [receivedBefore, startedMs] = [receiver.received(), performance.now()];
    const row = await measureRow([{ ...rollcall, directories: made }], { ...options, directories, writers }, closing);
    const webhooksPerSecond = ((receiver.received() - receivedBefore) / (performance.now() - startedMs)) * 1000;
    await removeDirectories(made, rollcall);
    webhookRows.push({ ...row, webhooksPerSecond });
    const summary = row.sides.rollcall!;
    const share = summary.perSecond / sides.rollcall!.perSecond;
    print([String(directories), String(writers), ...showSpeed(summary), `${formatNumber(share)}x`, formatNumber(webhooksPerSecond)]);
  }
  return webhookRows;
}

const showSpeed = ({ perSecond, p50Ms, p95Ms, p99Ms }: Summary) => [perSecond, p50Ms, p95Ms, p99Ms].map(formatNumber);

function printFailures(rows: Row[]) {
  for (const { directories, writers, sides } of rows) {
    for (const [side, { failures, slices }] of Object.entries(sides)) {
      const first = slices.find(({ firstFailure }) => firstFailure)?.firstFailure;
      if (failures > 0)
        console.log(`\n${side}, ${directories} directories, ${writers} writers: ${failures} not created, the first: ${first}`);
    }
  }
}

function printAims(rows: Row[]) {
  console.log('');
  const alone = rows.find(({ directories, writers }) => directories === 1 && writers === 1)?.sides.rollcall;
  if (alone) console.log(`p50 alone: ${formatNumber(alone.p50Ms)} ms (aim < 20 ms)`);
  for (const { directories, writers, ratio } of rows)
    if (writers === 32 && ratio !== undefined)
      console.log(
        `32 writers vs ancestor, ${directories} ${directories === 1 ? 'directory' : 'directories'}: ${formatNumber(ratio)}x (aim ≥ 1x)`,
      );
}
