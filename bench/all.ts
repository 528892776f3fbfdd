import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TargetResult } from './support/table.ts';

const start = '<!-- all: start -->';
const end = '<!-- all: end -->';

/** Runs each benchmark in its own process, and writes the table of all targets into the README. A failed benchmark becomes a row. */
export async function measureAll(names: string[], main: string, readme: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-bench-'));
  try {
    const rows: string[] = [];
    for (const name of names) {
      const file = join(folder, `${name}.json`);
      const code = await runChild([main, name, '--targets', file]);
      const results = JSON.parse(await readFile(file, 'utf8').catch(() => '[]')) as TargetResult[];
      rows.push(...results.map(({ title, seen, aim, met }) => `| ${name} | ${title} | ${seen} | ${aim} | ${met ? 'yes' : 'no'} |`));
      if (code !== 0) rows.push(`| ${name} | failed | | | no |`);
    }
    const machine = `${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}`;
    const table = [
      start,
      '',
      machine,
      '',
      '| Benchmark | Row | Seen | Aim | Met |',
      '| --- | --- | --- | --- | --- |',
      ...rows,
      '',
      end,
    ].join('\n');
    const text = await readFile(readme, 'utf8');
    const [from, to] = [text.indexOf(start), text.indexOf(end)];
    await writeFile(readme, from >= 0 && to > from ? text.slice(0, from) + table + text.slice(to + end.length) : `${text}\n${table}\n`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const runChild = (args: string[]) =>
  new Promise<number>((resolve, reject) => {
    spawn(process.execPath, args, { stdio: 'inherit' })
      .on('error', reject)
      .on('exit', (code) => resolve(code ?? 1));
  });
