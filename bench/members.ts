import { compare } from './support/alternate.ts';
import { printTarget, formatNumber, startTable } from './support/table.ts';
import type { Cleanup } from './support/cleanup.ts';
import { fillSide, type FilledSide } from './members/fill-side.ts';
import { createLoad, type Slice } from './support/load.ts';
import { addMember, removeMember, type CreatedGroup } from './support/groups.ts';
import { introduce } from './support/machine.ts';
import type { Options, Side } from './support/options.ts';
import { startServers } from './support/servers.ts';
import { prepareRollcall, sideNames, startSides } from './support/sides.ts';
import { median } from './support/statistics.ts';

const introduction = `
One member added to a group (PATCH) and removed again: in a group of 10, and in a large group of the same directory. Each writer waits for
the response before its next request. Slices with the same number of requests alternate between groups and sides; figures are medians of
the rounds. On both sides, the existing members are users of the directory; users and memberships were inserted by SQL.
`;

const actions = ['add', 'remove'] as const;
const figures = ['p50Ms', 'p95Ms'] as const;
const smallSize = 10;
const targetRatio = 1.5;
const sliceSeconds = 120;

interface Row {
  writers: number;
  action: (typeof actions)[number];
  side: Side;
  small: Slice[];
  large: Slice[];
}

export async function measureMembers(options: Options, cleanup: Cleanup): Promise<object> {
  const machine = introduce(introduction);
  const servers = await startServers(cleanup);
  const environment = await prepareRollcall(servers);
  const sizes = { small: smallSize, large: options.members };
  const sides: FilledSide[] = [];
  for (const side of await startSides(options, { servers, environment }, cleanup))
    sides.push(await fillSide(side, { ...sizes, spare: options.requests }, cleanup));

  const print = startTable([
    { title: 'writers', width: 7 },
    { title: '', width: 6 },
    { title: '', width: 8 },
    ...Object.values(sizes).flatMap((size) => ['p50', 'p95'].map((title) => ({ title: `${size}: ${title} ms`, width: 14 }))),
    { title: 'p50', width: 6 },
    { title: 'p95', width: 6 },
  ]);
  const rows: Row[] = [];
  for (const writers of options.writers ?? [1, 32]) {
    for (const row of await measureRows(sides, { ...options, writers }, cleanup)) {
      rows.push(row);
      const times = [row.small, row.large].flatMap((slices) => figures.map((figure) => median(slices.map((slice) => slice[figure]))));
      const ratios = figures.map((figure) => compare(row.large, row.small, figure));
      print([
        String(writers),
        row.action,
        sideNames[row.side],
        ...times.map(formatNumber),
        ...ratios.map((ratio) => `${formatNumber(ratio)}x`),
      ]);
    }
  }
  printTargets(rows, sizes);
  return { machine, options, rows };
}

async function measureRows(
  sides: FilledSide[],
  { writers, rounds, requests }: Pick<Options, 'rounds' | 'requests'> & { writers: number },
  { signal }: Cleanup,
): Promise<Row[]> {
  const runs = sides.map((side) => ({
    ...side,
    load: createLoad({ baseUrl: side.baseUrl, writers, signal }),
    rows: actions.map((action): Row => ({ writers, action, side: side.side, small: [], large: [] })),
  }));
  try {
    // The first round warms up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const size of ['small', 'large'] as const) {
        for (const { load, rows, [size]: group, spare } of runs) {
          for (const row of rows) {
            const slice = await load.run(changing(row.action, group, spare), { requests, seconds: sliceSeconds });
            if (slice.done < requests)
              throw new Error(`${row.side} failed to ${row.action} every member: ${slice.firstFailure ?? 'too slow'}`);
            if (round > 0) row[size].push(slice);
          }
        }
      }
    }
    return runs.flatMap(({ rows }) => rows);
  } finally {
    await Promise.all(runs.map(({ load }) => load.close()));
  }
}

function changing(action: Row['action'], group: CreatedGroup, userIds: string[]) {
  const left = userIds.values();
  const change = action === 'add' ? addMember : removeMember;
  return () => change(group, left.next().value!);
}

function printTargets(rows: Row[], sizes: Record<'small' | 'large', number>) {
  console.log('');
  for (const { side, writers, action, small, large } of rows) {
    if (side !== 'rollcall') continue;
    const title = `${action}, ${writers} ${writers === 1 ? 'writer' : 'writers'}`;
    const compareBoth = (one: Slice[], other: Slice[]) => figures.map((figure) => compare(one, other, figure));
    const toSmall = { title: `${title}: ${sizes.large} vs ${sizes.small} members, p50 and p95`, value: compareBoth(large, small) };
    printTarget({ ...toSmall, relation: '≤', bound: targetRatio, unit: 'x' });
    const polis = rows.find((row) => row.side === 'polis' && row.writers === writers && row.action === action);
    if (!polis) continue;
    for (const [size, slices] of [['small', small] as const, ['large', large] as const]) {
      const toPolis = {
        title: `${title}: speed vs Polis with ${sizes[size]} members, p50 and p95`,
        value: compareBoth(polis[size], slices),
      };
      printTarget({ ...toPolis, relation: '≥', bound: 1, unit: 'x' });
    }
  }
}
