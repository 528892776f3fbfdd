import { expect, test } from '@jest/globals';
import { readTargetTable } from '../../bench/support/target-table.ts';

const benchmarks = ['intake', 'help', 'start'];
const machine = '2 cores (a processor), 24 GiB, Linux, Node 20.20.2';
const first = { date: '2026-11-25T09:39:59.000Z', commit: '76c063f1', loadBefore: 8.71 };
const later = { date: '2026-11-26T00:01:00.000Z', commit: '12345678-dirty', loadBefore: 0 };
const target = (title: string, seen: string, met: boolean) => ({ title, seen, target: '< 2 s', met });

const open = (text = '') => readTargetTable(text, { machine, benchmarks });
const rowsOf = (text: string) =>
  text
    .split('\n')
    .slice(4)
    .map((row) => row.replaceAll(/ +/g, ' '));

test('A row names the target, what was seen, whether it is met, and when and how it was measured', () => {
  const table = open();
  table.add('start', { machine: first, options: '--rounds 1', result: [target('later start', '2.20 s', false)] });
  table.add('help', { machine: first, options: '', result: [target('a | b', '72 ms', true)] });
  expect(table.toMarkdown().split('\n')).toEqual([
    machine,
    '',
    '| Benchmark | What        | Result | Target | Met    | Date (UTC)       | Commit   | Load before | Options    |',
    '| --------- | ----------- | ------ | ------ | ------ | ---------------- | -------- | ----------- | ---------- |',
    String.raw`| help      | a \| b      | 72 ms  | < 2 s  | yes    | 2026-11-25 09:39 | 76c063f1 | 8.7         |            |`,
    '| start     | later start | 2.20 s | < 2 s  | **no** | 2026-11-25 09:39 | 76c063f1 | 8.7         | --rounds 1 |',
  ]);
});

test('A target that is measured again replaces its row, and the others stay', () => {
  const earlier = open();
  earlier.add('intake', { machine: first, options: '', result: [target('a | b', '1 s', true), target('c', '1 s', true)] });
  earlier.add('help', { machine: first, options: '', result: [target('c', '1 s', true)] });
  const table = open(`\n${earlier.toMarkdown()}\n`);
  table.add('intake', { machine: later, options: '--writers 32', result: [target('a | b', '3 s', false)] });
  expect(rowsOf(table.toMarkdown())).toEqual([
    '| intake | c | 1 s | < 2 s | yes | 2026-11-25 09:39 | 76c063f1 | 8.7 | |',
    String.raw`| intake | a \| b | 3 s | < 2 s | **no** | 2026-11-26 00:01 | 12345678-dirty | 0.0 | --writers 32 |`,
    '| help | c | 1 s | < 2 s | yes | 2026-11-25 09:39 | 76c063f1 | 8.7 | |',
  ]);
});

test('A benchmark that failed has a row until it succeeds', () => {
  const table = open();
  table.add('help', { machine: first, options: '', result: 'failed with 1' });
  expect(rowsOf(table.toMarkdown())).toEqual(['| help | the run | failed with 1 | | **no** | 2026-11-25 09:39 | 76c063f1 | 8.7 | |']);
  table.add('help', { machine: later, options: '', result: [target('c', '1 s', true)] });
  expect(rowsOf(table.toMarkdown())).toEqual(['| help | c | 1 s | < 2 s | yes | 2026-11-26 00:01 | 12345678-dirty | 0.0 | |']);
});

test('Figures of another machine are not continued', () => {
  const other = readTargetTable('', { machine: '64 cores', benchmarks });
  other.add('help', { machine: first, options: '', result: [target('c', '1 s', true)] });
  expect(rowsOf(open(other.toMarkdown()).toMarkdown())).toEqual([]);
});
