import { measureRow, measureRows, printCpu, startSpeedTable, type IntakeSide, type Row } from './intake/rows.ts';
import { measureWebhookRows, type WebhookRow } from './intake/webhook-rows.ts';
import { mainThread } from './support/alternate.ts';
import { printTarget } from './support/table.ts';
import type { Cleanup } from './support/cleanup.ts';
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
/** Minimum ratios to Polis, by directories and writers. */
const targets: Record<Operation, Record<number, Record<number, number>>> = {
  create: { 1: { 8: 1, 32: 2, 64: 3 }, 32: { 8: 0.9, 32: 1.8, 64: 2.5 } },
  update: { 1: { 8: 0.7, 32: 1.5, 64: 2.5 }, 32: { 8: 0.6, 32: 1.5, 64: 2.2 } },
};
const [targetAloneMs, targetMainThreadMs] = [15, 5];

export async function measureIntake(givenOptions: Options, cleanup: Cleanup): Promise<object> {
  const options = { ...givenOptions, directories: givenOptions.directories ?? [1, 32] };
  const machine = introduce(introduction);
  const servers = await startServers(cleanup);
  const environment = await prepareRollcall(servers);
  const sides: IntakeSide[] = [];
  for (const side of await startSides(options, { servers, environment }, cleanup))
    sides.push({ ...side, directories: await createDirectories({ ...side, count: Math.max(...options.directories) }) });

  const rows: Row[] = [];
  for (const operation of options.operations) {
    // A warm-up, so that the first row is not slower.
    await measureRow(sides, { operation, seconds: 1, rounds: 2, directories: 1, writers: 8 }, cleanup);
    console.log(`${rows.length > 0 ? '\n' : ''}${titles[operation]}:\n`);
    rows.push(...(await measureRows(sides, { ...options, operation, print: startSpeedTable(options.sides) }, cleanup)));
  }
  printCpu(sides, rows);
  const creates = rows.filter(({ operation }) => operation === 'create');
  // The earlier version has no worker here.
  const withWebhooks = sides.filter(({ side }) => side !== 'before');
  const measuresWebhooks = creates.length > 0 && options.sides.includes('rollcall');
  const webhookRows = measuresWebhooks ? await measureWebhookRows({ sides: withWebhooks, environment, creates, options }, cleanup) : [];
  printFailures([...rows, ...webhookRows]);
  printTargets(rows, options);
  printWebhookTargets(webhookRows);
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

function printTargets(rows: Row[], { before }: Options) {
  console.log('');
  for (const { operation, directories, writers, sides, ratio } of rows) {
    if (operation === 'create' && directories === 1 && writers === 1 && sides.rollcall) {
      const { p50Ms, cpuMsPerRequest } = sides.rollcall;
      printTarget({ title: 'create alone, p50', value: p50Ms, relation: '≤', bound: targetAloneMs, unit: ' ms' });
      const value = cpuMsPerRequest[mainThread]!;
      printTarget({ title: 'create alone, CPU time of the main thread', value, relation: '≤', bound: targetMainThreadMs, unit: ' ms' });
    }
    const bound = before === undefined ? targets[operation][directories]?.[writers] : 0.95;
    const title = `${operation}s vs ${before === undefined ? 'Polis' : 'before'}, ${writers} writers, ${directories} ${directories === 1 ? 'directory' : 'directories'}`;
    if (bound !== undefined && ratio !== undefined) printTarget({ title, value: ratio, relation: '≥', bound, unit: 'x' });
  }
}

function printWebhookTargets(rows: WebhookRow[]) {
  for (const { directories, writers, ratio, share } of rows) {
    const about = `${writers} writers, ${directories} ${directories === 1 ? 'directory' : 'directories'}`;
    printTarget({ title: `creates with webhooks vs without, ${about}`, value: share, relation: '≥', bound: 0.8, unit: 'x' });
    if (ratio !== undefined && writers === 32 && directories === 32)
      printTarget({ title: `creates vs Polis, both with webhooks, ${about}`, value: ratio, relation: '≥', bound: 1.5, unit: 'x' });
  }
}
