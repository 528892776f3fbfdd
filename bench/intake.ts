import { measureRow, measureRows, printCpu, startSpeedTable, type IntakeSide, type Row } from './intake/rows.ts';
import { measureWebhookRows, type WebhookRow } from './intake/webhook-rows.ts';
import { mainThread } from './support/alternate.ts';
import { printTarget } from './support/table.ts';
import type { Closing } from './support/closing.ts';
import { createDirectories } from './support/directories.ts';
import { introduce } from './support/machine.ts';
import type { Operation, Options } from './support/options.ts';
import { startServers } from './support/servers.ts';
import { prepareRollcall, startSides } from './support/sides.ts';

const introduction = `
Users created (POST /Users), and deactivated and activated (PATCH active), by SCIM. Each writer waits for the response before its next
request. Both services are one Node process with 10 database connections, on the same Postgres (fsync on, default settings). Slices with
the same number of requests alternate; figures are medians.
  Rollcall   checks the directory's secret; starts a Temporal workflow for the waiting changes, which reads what they need and writes
             users, events with gapless numbers, outcomes and the delivery's wake flag in one statement.
  Polis      @boxyhq/saml-jackson 26.2.0 behind a bare HTTP server; reads the directory twice, looks up the e-mail address or the user,
             and writes the user (a new one with two index rows) in one transaction. It stores no event.
No webhook is configured, unless a table says so.
`;

const titles: Record<Operation, string> = { create: 'Users created', update: 'Users deactivated and activated' };
/** The lowest ratios to Polis, by directories and writers. */
const aims: Record<Operation, Record<number, Record<number, number>>> = {
  create: { 1: { 8: 1, 32: 2, 64: 3 }, 32: { 8: 0.9, 32: 1.8, 64: 2.5 } },
  update: { 1: { 8: 0.7, 32: 1.5, 64: 2.5 }, 32: { 8: 0.6, 32: 1.5, 64: 2.2 } },
};
const [aimAloneMs, aimMainThreadMs] = [15, 5];

export async function measureIntake(given: Options, closing: Closing): Promise<object> {
  const options = { ...given, directories: given.directories ?? [1, 32] };
  const machine = introduce(introduction);
  const servers = await startServers(closing);
  const environment = await prepareRollcall(servers);
  const sides: IntakeSide[] = [];
  for (const side of await startSides(options, { servers, environment }, closing))
    sides.push({ ...side, directories: await createDirectories({ ...side, count: Math.max(...options.directories) }) });

  const rows: Row[] = [];
  for (const operation of options.operations) {
    // Warms up, so that the first row is not slower.
    await measureRow(sides, { operation, seconds: 1, rounds: 2, directories: 1, writers: 8 }, closing);
    console.log(`${rows.length > 0 ? '\n' : ''}${titles[operation]}:\n`);
    rows.push(...(await measureRows(sides, { ...options, operation, print: startSpeedTable(options.sides) }, closing)));
  }
  printCpu(sides, rows);
  const creates = rows.filter(({ operation }) => operation === 'create');
  // The earlier version has no worker here.
  const withWebhooks = sides.filter(({ side }) => side !== 'before');
  const measuresWebhooks = creates.length > 0 && options.sides.includes('rollcall');
  const webhookRows = measuresWebhooks ? await measureWebhookRows({ sides: withWebhooks, environment, creates, options }, closing) : [];
  printFailures([...rows, ...webhookRows]);
  printAims(rows, options);
  printWebhookAims(webhookRows);
  return { machine, options, rows, webhookRows };
}

function printFailures(rows: Row[]) {
  for (const { operation, directories, writers, sides } of rows) {
    for (const [side, { failures, slices }] of Object.entries(sides)) {
      const first = slices.find(({ firstFailure }) => firstFailure)?.firstFailure;
      if (failures > 0)
        console.log(`\n${side}, ${operation}, ${directories} directories, ${writers} writers: ${failures} failed, the first: ${first}`);
    }
  }
}

function printAims(rows: Row[], { before }: Options) {
  console.log('');
  for (const { operation, directories, writers, sides, ratio } of rows) {
    if (operation === 'create' && directories === 1 && writers === 1 && sides.rollcall) {
      const { p50Ms, cpuMsPerRequest } = sides.rollcall;
      printTarget({ title: 'create alone, p50', value: p50Ms, relation: '≤', bound: aimAloneMs, unit: ' ms' });
      const value = cpuMsPerRequest[mainThread]!;
      printTarget({ title: 'create alone, CPU time of the main thread', value, relation: '≤', bound: aimMainThreadMs, unit: ' ms' });
    }
    const bound = before === undefined ? aims[operation][directories]?.[writers] : 0.95;
    const title = `${operation}s vs ${before === undefined ? 'Polis' : 'before'}, ${writers} writers, ${directories} ${directories === 1 ? 'directory' : 'directories'}`;
    if (bound !== undefined && ratio !== undefined) printTarget({ title, value: ratio, relation: '≥', bound, unit: 'x' });
  }
}

function printWebhookAims(rows: WebhookRow[]) {
  for (const { directories, writers, ratio, share } of rows) {
    const about = `${writers} writers, ${directories} ${directories === 1 ? 'directory' : 'directories'}`;
    printTarget({ title: `creates with webhooks vs without, ${about}`, value: share, relation: '≥', bound: 0.8, unit: 'x' });
    if (ratio !== undefined && writers === 32 && directories === 32)
      printTarget({ title: `creates vs Polis, both with webhooks, ${about}`, value: ratio, relation: '≥', bound: 1.5, unit: 'x' });
  }
}
