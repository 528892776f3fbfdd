import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Knex } from 'knex';
import { packageRoot } from '../../../src/paths.ts';
import { formatStatement } from './format-statement.ts';

interface Sent {
  sql: string;
  values: unknown[];
}

const folder = join(packageRoot, 'test/store/statements');
/** RECORD_STATEMENTS=1 writes the files instead of comparing them. */
// oxlint-disable-next-line node/no-process-env
const isRecording = process.env['RECORD_STATEMENTS'] === '1';

/** Compares the statements that `work` sends with `<name>.sql`, and lets Postgres explain each statement of that file. */
export async function expectStatements(db: Knex, name: string, work: () => Promise<unknown>): Promise<void> {
  const sent: Sent[] = [];
  const record = ({ sql, bindings, options }: { sql: string; bindings?: unknown[]; options?: { values?: unknown[] } }) =>
    sent.push({ sql, values: options?.values ?? bindings ?? [] });
  db.on('query', record);
  try {
    await work();
  } finally {
    db.off('query', record);
  }
  const statements = sent.filter(({ sql }) => !/^(begin|commit|rollback|savepoint|release|set|create)/i.test(sql));
  const normalize = createNormalizer();
  const printed = statements.map((statement, index) => print(statement, index + 1, normalize));
  for (const statement of printed) await plan(db, statement);
  const file = join(folder, `${name}.sql`);
  compared.add(`${name}.sql`);
  const text = `${printed.join('\n\n')}\n`;
  if (isRecording) writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, 'utf8'));
}

const compared = new Set<string>();
/** What resource-statements.test.ts and import-statements.test.ts print. The rest is in statements.test.ts. */
const areas = { resources: /^(changes?|list|event-feed|groups-of-users|read-resources)\b/, imports: /^import\b/ };
type Area = keyof typeof areas | 'others';
const areaOf = (file: string): string => Object.entries(areas).find(([, pattern]) => pattern.test(file))?.[0] ?? 'others';

/** Files that no test of these statements has compared so far. */
export const findUnusedFiles = (area: Area): string[] =>
  readdirSync(folder).filter((file) => file.endsWith('.sql') && areaOf(file) === area && !compared.has(file));

/** Text for `psql`: a statement with parameters is prepared, then executed with the test's values. */
function print({ sql, values }: Sent, number: number, normalize: (text: string) => string): string {
  const formatted = formatStatement(sql);
  if (values.length === 0) return `${formatted};`;
  const given = values.map((value, index) => `  /* $${index + 1} */ ${normalize(toLiteral(value))}`);
  return `prepare statement_${number} as\n${formatted};\nexecute statement_${number} (\n${given.join(',\n')}\n);`;
}

function toLiteral(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return `'${value.toISOString()}'`;
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`;
  const text = Array.isArray(value) ? `{${value.map((item) => JSON.stringify(String(item))).join(',')}}` : (value as string);
  return `'${text.replaceAll("'", "''")}'`;
}

/** Ids, times, digests and sealed values differ between runs. Ids are numbered in the order in which they appear. */
function createNormalizer() {
  const ids = new Map<string, number>();
  const numberOf = (id: string) => {
    if (!ids.has(id)) ids.set(id, ids.size + 1);
    return String(ids.get(id)).padStart(12, '0');
  };
  return (text: string) =>
    text
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) =>
        /^(0{8}|f{8})/.test(id) ? id : `10000000-0000-0000-0000-${numberOf(id)}`,
      )
      .replaceAll(/msg_[\w-]{27}/g, (id) => `msg_${numberOf(id)}`)
      .replaceAll(/rcl_\w{8}/g, (prefix) => `rcl_${numberOf(prefix).slice(-8)}`)
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|\+00:00)/g, '2026-01-01T00:00:00.000Z')
      .replaceAll(/x[0-9a-f]{65,}/g, 'x00')
      .replaceAll(/[0-9a-f]{64}/g, 'f'.repeat(64))
      .replaceAll(/\bA[\w-]{70,}/g, 'A_SEALED_VALUE');
}

/** Fails where the printed text could not be pasted into `psql`. */
async function plan(db: Knex, printed: string): Promise<void> {
  const text = printed
    .replace(/^execute (\w+)([^]*)$/m, 'explain execute $1$2 deallocate $1;')
    .replace(/^(?=with|select|insert|update|delete)/, 'explain ');
  // Not a parameter of `raw`: a question mark may stand in a value.
  await db.raw(text.replaceAll('?', String.raw`\?`));
}
