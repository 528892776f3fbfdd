import { describe, expect, it } from '@jest/globals';
import { parse } from '../../support/parse-csv.ts';

/** What is said about a file that is wrong, and where. */

const header = 'idp_id,email,active\n';

describe('the message about users.csv', () => {
  it.each<[name: string, text: string, place: [number | null, number | null], message: string]>([
    ['an empty file', '', [1, null], 'The file is empty. Its first line must name the columns: idp_id, email.'],
    ['no first line with names', '1,a@b.example\n', [1, null], 'The column idp_id is missing. The first line must name the columns.'],
    ['a column without a name', 'idp_id,,email\n', [1, 2], 'The column has no name.'],
    ['a column that is there twice', 'idp_id,email,Email\n', [1, 3], 'The name of the column is there twice.'],
    ['a column that JavaScript knows', 'idp_id,email,__proto__\n', [1, 3], 'The name of the column has characters that are not allowed.'],
    ['a row without its ID', `${header},a@b.example,true\n`, [2, 1], 'idp_id must not be empty.'],
    ['an address that is none', `${header}1,ada,true\n`, [2, 2], 'email must be an email address.'],
    [
      'a word for active that is none',
      `${header}1,a@b.example,perhaps\n`,
      [2, 3],
      'active must be true, false, yes, no, 1, 0, active or inactive, or empty.',
    ],
    [
      'a word for active that JavaScript knows',
      `${header}1,a@b.example,constructor\n`,
      [2, 3],
      'active must be true, false, yes, no, 1, 0, active or inactive, or empty.',
    ],
    [
      'a row with a field too many',
      `${header}1,a@b.example,true,x\n`,
      [2, 4],
      'The line has 4 fields, and the first line names 3 columns.',
    ],
    ['a row with a field too few', `${header}1,a@b.example\n`, [2, 3], 'The line has 2 fields, and the first line names 3 columns.'],
    ['a NUL', `${header}1,a@b.example,\0\n`, [2, 3], 'active has control characters.'],
    ['a long ID', `${header}${'x'.repeat(501)},a@b.example,\n`, [2, 1], 'idp_id must have at most 500 characters (fixed limit).'],
    [
      'a long cell',
      `idp_id,email,note\n1,a@b.example,${'x'.repeat(10_001)}\n`,
      [2, 3],
      'note has more than 10000 characters (fixed limit).',
    ],
    ['a quote that is never closed', `${header}1,"a@b.example,true\n`, [2, 2], 'A quote is opened and never closed.'],
    [
      'a quote within a field',
      `${header}1,a"b,true\n`,
      [2, 2],
      'A quote begins within a field. Put the whole field into quotes, and write a quote in it as two quotes.',
    ],
    [
      'a quote that ends within a field',
      `${header}1,"a"b,true\n`,
      [2, 2],
      'A quote ends within a field. Write a quote within a quoted field as two quotes.',
    ],
    [
      'an endless quote',
      `${header}1,"${'x\n'.repeat(100_000)}`,
      [2, 2],
      'The record is larger than 65536 bytes (fixed limit), or a quote is never closed.',
    ],
    ['very many columns', `idp_id,email${',x'.repeat(300)}\n`, [1, 201], 'The file has more than 200 columns (fixed limit).'],
    [
      'bytes that are not UTF-8',
      `${header}1,a@b.example,true\n2,\xe9@b.example,true\n`,
      [3, null],
      'The text is not valid UTF-8. Save the file as UTF-8, or declare its charset, such as windows-1252.',
    ],
  ])('%s', async (_, text, [line, column], message) => {
    const { problems } = await parse('users', Buffer.from(text, 'latin1'));
    expect(problems[0]).toEqual({ kind: 'problem', line, column, message });
  });

  it('names the line of a record that begins after quoted line breaks', async () => {
    const { problems } = await parse('users', `idp_id,email,note\r\n1,a@b.example,"x\r\ny\r\nz"\r\n\r\n2,b,"u\r\nv"\r\n3,c,\r\n`);
    expect(problems.map(({ line, column }) => [line, column])).toEqual([
      [6, 2],
      [8, 2],
    ]);
  });

  it('names what is wrong before the place where the file cannot be read on', async () => {
    const { problems } = await parse('users', `${header}1,ada,\n2,grace,\n3,a"b@c.example,\n4,x,\n`);
    expect(problems.map(({ line, column }) => [line, column])).toEqual([
      [2, 2],
      [3, 2],
      [4, 2],
    ]);
  });
});

it('the messages about groups and memberships name their columns', async () => {
  expect((await parse('groups', 'idp_id,name\ng1,\n')).problems).toEqual([
    { kind: 'problem', line: 2, column: 2, message: 'name must not be empty.' },
  ]);
  expect((await parse('members', 'group_id,user_id\ng1,\n')).problems).toEqual([
    { kind: 'problem', line: 2, column: 2, message: 'user_id must not be empty.' },
  ]);
});
