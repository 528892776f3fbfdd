import { measureRow, measureRows, printCpu, startSpeedTable, type IntakeSide, type Row } from './intake/rows.ts';
import { measureWebhookRows } from './intake/webhook-rows.ts';
import { printAim } from './support/table.ts';
import type { Closing } from './support/closing.ts';
import { createDirectories } from './support/directories.ts';
import { introduce } from './support/machine.ts';
import type { Operation, Options } from './support/options.ts';
import { startServers } from './support/servers.ts';
import { prepareRollcall, startSides } from './support/sides.ts';

const introduction = `
Users created (POST /Users), and switched off and on (PATCH active), by SCIM, by writers that each wait for the answer. Both services are
one Node process with 10 database connections, on the same Postgres (fsync on, default settings). Slices of equally many requests
alternate; figures are medians.
  Rollcall   checks the directory's secret; starts a Temporal workflow for the changes that wait, which reads what they are about, and
             writes users, events with gapless numbers, outcomes and the delivery's wake flag in one statement. A user that was changed
             is read once more for the answer.
  polis   @boxyhq/saml-jackson 26.2.0 behind a bare HTTP server; reads the directory twice, looks for the e-mail address or the user,
             and writes the user, and a new one's two index rows, in one transaction. It keeps no event.
No webhook is configured, unless a table says so.
`;

const titles: Record<Operation, string> = { create: 'Users created', update: 'Users switched off and on' };
const aimsByWriters: Record<number, number> = { 8: 1, 32: 1.5, 64: 2 };
const aimAloneMs = 20;

/** Returns the raw figures. */
export async function measureIntake(options: Options, closing: Closing): Promise<object> {
  const machine = introduce(introduction);
  const servers = await startServers(closing);
  const environment = await prepareRollcall(servers);
  const sides: IntakeSide[] = [];
  for (const side of await startSides(options, { servers, environment }, closing))
    sides.push({ ...side, directories: await createDirectories({ ...side, count: Math.max(...options.directories) }) });

  const rows: Row[] = [];
  for (const operation of options.operations) {
    // Cold code would count against whoever comes first.
    await measureRow(sides, { operation, seconds: 1, rounds: 2, directories: 1, writers: 8 }, closing);
    console.log(`${rows.length > 0 ? '\n' : ''}${titles[operation]}:\n`);
    rows.push(...(await measureRows(sides, { ...options, operation, print: startSpeedTable(options.sides) }, closing)));
  }
  printCpu(sides, rows);
  const creates = rows.filter(({ operation }) => operation === 'create');
  const rollcall = sides.find(({ side }) => side === 'rollcall');
  const webhookRows = rollcall && creates.length > 0 ? await measureWebhookRows({ rollcall, environment, creates, options }, closing) : [];
  printFailures([...rows, ...webhookRows]);
  printAims(rows, options);
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
    if (operation === 'create' && directories === 1 && writers === 1 && sides.rollcall)
      printAim({ title: 'create alone, p50', value: sides.rollcall.p50Ms, relation: '<', bound: aimAloneMs, unit: ' ms' });
    const bound = before === undefined ? aimsByWriters[writers] : 0.95;
    const title = `${operation}s vs ${before === undefined ? 'polis' : 'before'}, ${writers} writers, ${directories} ${directories === 1 ? 'directory' : 'directories'}`;
    if (bound !== undefined && ratio !== undefined) printAim({ title, value: ratio, relation: '≥', bound, unit: 'x' });
  }
}
