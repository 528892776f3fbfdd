import { describe, expect, it } from '@jest/globals';
import { renderFields, renderTable } from '../../src/cli/output/printer.ts';
import { textWidth } from '../../src/cli/output/terminal-text.ts';

const columns = [
  { title: 'Id', value: ({ id }: Row) => id },
  { title: 'Name', value: ({ name }: Row) => name, mayShrink: true },
  { title: 'Count', value: ({ count }: Row) => count, alignRight: true },
];
interface Row {
  id: string;
  name: string | null;
  count: number;
}
const rows: Row[] = [
  { id: '0197a3c4', name: '山田 太郎', count: 7 },
  { id: '0197a3c5', name: 'a name that is rather long', count: 1234 },
  { id: '0197a3c6', name: null, count: 0 },
];

describe('a table', () => {
  it('aligns wide characters and numbers', () => {
    expect(renderTable(columns, rows, { width: Infinity })).toEqual([
      'Id        Name                        Count',
      '0197a3c4  山田 太郎                       7',
      '0197a3c5  a name that is rather long   1234',
      '0197a3c6                                  0',
    ]);
  });

  it('cuts names but never IDs on a narrow terminal', () => {
    const lines = renderTable(columns, rows, { width: 30 });
    expect(lines).toEqual([
      'Id        Name           Count',
      '0197a3c4  山田 太郎          7',
      '0197a3c5  a name that …   1234',
      '0197a3c6                     0',
    ]);
    expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(30);
  });

  it('prints each row as a block when even cut columns do not fit', () => {
    expect(renderTable(columns, rows.slice(0, 2), { width: 20 })).toEqual([
      'Id     0197a3c4',
      'Name   山田 太郎',
      'Count  7',
      '',
      'Id     0197a3c5',
      'Name   a name that is rather long',
      'Count  1234',
    ]);
  });

  it('prevents names from controlling the terminal', () => {
    expect(renderTable(columns, [{ id: '1', name: '\u001b[2J\n', count: 1 }], { width: 80 }).join('')).toContain('␛[2J␊');
  });
});

it('fields omit empty values, and cut nothing', () => {
  const long = 'https://rollcall.example/api/scim/v2.0/0197a3c4-5b1e-7c3a-9f00-2d4b6a8c0e11';
  expect(
    renderFields(
      [
        ['Id', '1'],
        ['Empty', ''],
        ['None', null],
        ['Zero', 0],
        ['Endpoint', long],
      ],
      40,
    ),
  ).toEqual(['Id        1', 'Zero      0', `Endpoint  ${long}`]);
});
