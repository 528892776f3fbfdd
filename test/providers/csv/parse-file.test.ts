import { describe, expect, it } from '@jest/globals';
import { toGroup, toUser } from '../../../src/providers/csv/records.ts';
import type { ParsedItem } from '../../../src/directory/files/ports.ts';
import { parseFile } from '../../../src/providers/csv/parse-file.ts';
import { createSeededRandom } from '../../support/seed.ts';
import { parse } from '../../support/parse-csv.ts';

const name = 'Zoë Šimić 山田';
const text = (cell = name) => `idp_id,email,first_name\r\n1,zoe@acme.example,${cell}\r\n`;
const utf16be = (given: string) => Buffer.from(`\uFEFF${given}`, 'utf16le').swap16();

describe('an encoding', () => {
  it.each<[string, Buffer, string | undefined, string]>([
    ['UTF-8', Buffer.from(text()), undefined, name],
    ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${text()}`), undefined, name],
    ['UTF-16, little end first', Buffer.from(`\uFEFF${text()}`, 'utf16le'), undefined, name],
    ['UTF-16, big end first', utf16be(text()), undefined, name],
    ['Windows-1252 if it is declared', Buffer.from(text('Zo\xeb \x80'), 'latin1'), 'windows-1252', 'Zoë €'],
    ['a byte order mark rather than what is declared', Buffer.from(`\uFEFF${text()}`), 'windows-1252', name],
  ])('is understood: %s', async (_, bytes, charset, expected) => {
    for (const chunkBytes of [1, 3, 10_000]) {
      const { rows, problems } = await parse('users', bytes, { ...(charset !== undefined && { charset }), chunkBytes });
      expect(problems).toEqual([]);
      expect(rows).toEqual([
        {
          externalId: '1',
          line: 2,
          nameKey: 'zoe@acme.example',
          cells: { idp_id: '1', email: 'zoe@acme.example', first_name: expected },
        },
      ]);
    }
  });
});

describe('a form of CSV', () => {
  it.each([
    ['commas', 'idp_id,email\n1,a@b.example\n'],
    ['semicolons', 'idp_id;email\n1;a@b.example\n'],
    ['tabs', 'idp_id\temail\n1\ta@b.example\n'],
    ['CRLF', 'idp_id,email\r\n1,a@b.example\r\n'],
    ['CR alone', 'idp_id,email\r1,a@b.example\r'],
    ['no line break at the end', 'idp_id,email\n1,a@b.example'],
    ['quoted names with tabs between them', '"idp_id"\t"email"\n1\ta@b.example\n'],
    ['quoted names with another separator in them', '"idp_id";"email";"a,b,c,d,e"\n1;a@b.example;\n'],
    ['names in other cases, and with spaces', 'IDP_ID, Email \n1, a@b.example \n'],
    ['lines that are empty, or have separators only', 'idp_id,email\n\n,\n1,a@b.example\n\n'],
  ])('is understood: %s', async (_, csv) => {
    const { rows, problems } = await parse('users', csv);
    expect(problems).toEqual([]);
    expect(rows.map(({ externalId, cells }) => [externalId, cells['email']])).toEqual([['1', 'a@b.example']]);
  });

  it('keeps quotes, separators and line breaks within quotes', async () => {
    const { rows } = await parse('users', 'idp_id,email,note\n1,a@b.example,"one, ""two""\nthree"\n2,b@b.example,x\n');
    expect(rows.map(({ line, cells }) => [line, cells['note']])).toEqual([
      [2, 'one, "two"\nthree'],
      [4, 'x'],
    ]);
  });
});

it('lists every wrong line, and goes on after each', async () => {
  const { rows, problems } = await parse('users', 'idp_id,email\n1,a\n2,b@b.example\n,c@b.example\n4,d@b.example,x\n5,e@b.example\n');
  expect(rows.map(({ externalId }) => externalId)).toEqual(['2', '5']);
  expect(problems.map(({ line, column }) => [line, column])).toEqual([
    [2, 2],
    [4, 1],
    [5, 3],
  ]);
});

describe('a file that never ends', () => {
  it.each([
    ['empty fields', ','],
    ['empty fields in quotes', '"",'],
    ['fields that are line breaks', '"\n",'],
  ])('is read no further than the longest record: %s', async (_, unit) => {
    async function* endless() {
      yield Buffer.from('idp_id,email\n1,a@b.example\n');
      for (;;) yield Promise.resolve(Buffer.from(unit.repeat(10_000)));
    }
    const items: ParsedItem[] = [];
    for await (const item of parseFile('users', endless(), { charset: undefined })) items.push(item);
    expect(items.map((item) => [item.kind, item.kind === 'problem' && item.line])).toEqual([
      ['columns', false],
      ['row', false],
      ['problem', 3],
    ]);
  });

  it.each([
    ['lines with separators only', ',\n'],
    ['wrong lines', 'x\n'],
    ['rows', '1,a@b.example\n'],
  ])('is read no further than the most rows: %s', async (_, line) => {
    async function* endless() {
      yield Buffer.from('idp_id,email\n');
      for (;;) yield Promise.resolve(Buffer.from(line.repeat(100)));
    }
    let last: ParsedItem | undefined;
    for await (const item of parseFile('users', endless(), { charset: undefined, maxRows: 250 })) last = item;
    expect(last).toMatchObject({ kind: 'problem', line: 252, message: expect.stringContaining('250 rows') });
  });
});

async function* arriveWhole(csv: string) {
  yield Promise.resolve(Buffer.from(csv));
}

it('lets others run while it reads a file that is one chunk', async () => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  let members = 0;
  for await (const { kind } of parseFile('members', arriveWhole(`user_id,group_id\n${'a,b\n'.repeat(200_000)}`), { charset: undefined }))
    members += kind === 'member' ? 1 : 0;
  clearInterval(timer);
  expect(members).toBe(200_000);
  expect(turns).toBeGreaterThan(2);
});

it('keeps characters of several bytes that two pieces of the parser share', async () => {
  const lines = Array.from({ length: 2_000 }, (_, index) => `${index},u${index}@acme.example,${'😀'.repeat(1 + (index % 7))}`);
  const { rows, problems } = await parse('users', `idp_id,email,note\n${lines.join('\n')}\n`, { chunkBytes: 1_000_000 });
  expect(problems).toEqual([]);
  expect(rows.filter(({ cells }, index) => cells['note'] !== '😀'.repeat(1 + (index % 7)))).toEqual([]);
});

it('reads memberships in any order of columns, and ignores further ones', async () => {
  const { members } = await parse('members', 'note,group_id,user_id\nx,g1,u1\n,g2,u1\n');
  expect(members).toEqual([
    { line: 2, groupId: 'g1', userId: 'u1' },
    { line: 3, groupId: 'g2', userId: 'u1' },
  ]);
});

it('a user has what the columns say, and the others as attributes', () => {
  const cells = { idp_id: '7', email: 'ada@acme.example', first_name: 'Ada', last_name: 'Lovelace', active: 'No', 'cost center': '12' };
  const attributes = 'urn:rollcall:params:scim:schemas:csv:2.0:Attributes';
  expect(toUser(cells)).toEqual({
    externalId: '7',
    resource: {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', attributes],
      [attributes]: { 'cost center': '12' },
      userName: 'ada@acme.example',
      externalId: '7',
      active: false,
      displayName: 'Ada Lovelace',
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      emails: [{ value: 'ada@acme.example', type: 'work', primary: true }],
    },
    raw: { ...cells, externalId: '7' },
  });
  expect(toUser({ idp_id: '8' }).resource).toEqual({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: '8',
    externalId: '8',
    active: true,
  });
  expect(toGroup({ idp_id: 'g', name: 'Team' }).resource).toMatchObject({ displayName: 'Team', externalId: 'g' });
});

const clean = (value: string) => value.replaceAll('\r\n', '\n').trim() || undefined;

it('reads back any cells that were written as CSV, however the bytes arrive', async () => {
  const random = createSeededRandom();
  const parts = ['a', 'é', '"', ',', ';', '\t', '\n', '\r\n', ' x ', '山', '', '😀', "'", '=1'];
  for (let round = 0; round < 60; round += 1) {
    const cell = () => Array.from({ length: random.below(5) }, () => parts[random.below(parts.length)]).join('');
    const rows = Array.from({ length: 1 + random.below(6) }, (_, index) => [`u${index}`, `u${index}@acme.example`, cell(), cell()]);
    const separator = [',', ';', '\t'][random.below(3)]!;
    const end = ['\n', '\r\n'][random.below(2)]!;
    const quote = (value: string) => (/[",;\t\r\n]/.test(value) || random.below(3) === 0 ? `"${value.replaceAll('"', '""')}"` : value);
    const csv = [['idp_id', 'email', 'one', 'two'], ...rows].map((line) => line.map(quote).join(separator) + end).join('');
    const bytes = random.below(2) === 0 ? Buffer.from(csv) : Buffer.from(`\uFEFF${csv}`, 'utf16le');
    const { rows: read, problems } = await parse('users', bytes, { chunkBytes: 1 + random.below(40) });
    expect(problems).toEqual([]);
    expect(read.map(({ cells }) => [cells['idp_id'], cells['email'], cells['one'], cells['two']])).toEqual(
      rows.map(([id, email, one, two]) => [id, email, clean(one!), clean(two!)]),
    );
  }
});
