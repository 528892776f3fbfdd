import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';
import { packageRoot } from '../src/paths.ts';

const read = (file: string) => readFileSync(join(packageRoot, file), 'utf8');
const pages = [
  ...readdirSync(packageRoot),
  ...['docs', 'examples', 'bench'].flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  ),
].filter((name) => name.endsWith('.md') && !name.includes('node_modules'));
/** Variables of clients, receivers, tests and applications that embed the library. */
const variablesOfCallers = [
  'ROLLCALL_URL',
  'ROLLCALL_API_KEY',
  'ROLLCALL_WEBHOOK_SECRET',
  'ROLLCALL_DIRECTORY_ID',
  'ENCRYPTION_KEY',
  'POLIS_API_KEY',
  'POLIS_ENCRYPTION_KEY',
  'NODE_OPTIONS',
  'MALLOC_ARENA_MAX',
  'TEST_SEED',
];

const findAll = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found]) => found!);
const prose = (text: string) => text.replaceAll(/^ *```[^]*?^ *```$/gm, '');
const spans = (text: string) => findAll(prose(text), /`([^`\n]+)`/g);

/** The anchors of a page's headings on GitHub. */
const anchorsOf = (page: string) =>
  findAll(prose(read(page)), /^#+ (.+)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

const countSentences = (text: string) => text.replaceAll(/`[^`]*`/g, 'code').match(/[.!?](?=\s|$)/g)?.length ?? 0;

it('finds the pages', () => {
  expect(pages).toEqual(
    expect.arrayContaining(['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs/architecture.md', 'docs/guides/providers/okta.md']),
  );
});

it.each(pages)('%s links only to files and headings that exist', (page) => {
  const broken = findAll(prose(read(page)), /\]\(([^)\s]+)\)/g)
    .filter((link) => !/^https?:/.test(link))
    .filter((link) => {
      const [path, anchor] = link.split('#');
      const target = path ? join(dirname(page), path) : page;
      if (!existsSync(join(packageRoot, target))) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });
  expect(broken).toEqual([]);
});

it.each(pages)('%s names only files, folders and npm scripts that exist', (page) => {
  const paths = spans(read(page)).filter((span) => /^(src|workflows|activities|test|scripts|docs|bench|\.ci)\/[\w./-]*$/.test(span));
  expect(paths.filter((path) => !existsSync(join(packageRoot, path)))).toEqual([]);
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const named = findAll(read(page), /\bnpm run ([a-z:]+)/g);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

it.each(pages)('%s names only settings that exist', (page) => {
  const known = new Set([
    ...variablesOfCallers,
    ...findAll(read('.env.example'), /^# ([A-Z_]+)=/gm),
    ...findAll(read('docker-compose.yml'), /\b([A-Z][A-Z_]+)\b/g),
  ]);
  const named = spans(read(page)).flatMap((span) => /^([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=.*)?$/.exec(span)?.[1] ?? []);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

it.each(pages)('%s has no table cell of more than two sentences', (page) => {
  const rows = prose(read(page)).match(/^ *\|.+\|$/gm) ?? [];
  const cells = rows.flatMap((row) => row.split('|').map((cell) => cell.trim()));
  expect(cells.filter((cell) => countSentences(cell) > 2)).toEqual([]);
});

it('the settings reference lists every setting with its default', () => {
  const listed = new Map(
    [...read('docs/reference/settings.md').matchAll(/^\| `([A-Z_]+)` *\| (?:`([^`]+)`|([^|]*?)) *\|/gm)].map(
      ([, name, fixed, described]) => [name!, fixed ?? described!],
    ),
  );
  const settings = [...read('.env.example').matchAll(/^# ([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => ({ name: name!, value: value! }));
  expect(settings.map(({ name }) => name).filter((name) => !listed.has(name))).toEqual([]);
  expect(settings.filter(({ name, value }) => value !== '' && listed.get(name) !== value)).toEqual([]);
});

it('SECURITY.md names an existing test for each guarantee', () => {
  const guarantees = read('SECURITY.md').split('## What Rollcall guarantees')[1]!.split('\n## ')[0]!;
  const rows = findAll(guarantees, /^\| (?!Guarantee |-)(.+) \|$/gm);
  expect(rows.length).toBeGreaterThan(40);
  const without = rows.filter((row) => !/^.+ \| +`test\/[^|]+$/.test(row));
  expect(without).toEqual([]);
  for (const test of findAll(guarantees, /`(test\/[^`]+)`/g))
    expect([test, test.endsWith('.test.ts') && existsSync(join(packageRoot, test))]).toEqual([test, true]);
});

it('pages name the package file as `npm pack` does', () => {
  const { name, version } = JSON.parse(read('package.json')) as { name: string; version: string };
  const named = pages.flatMap((page) => findAll(read(page), /([\w.-]+\.tgz)/g));
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((file) => file !== `${name}-${version}.tgz` && file !== '.tgz')).toEqual([]);
});
