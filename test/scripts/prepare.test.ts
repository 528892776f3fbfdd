import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, afterEach, expect, it } from '@jest/globals';
import { packageRoot } from '../../src/paths.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

let clone: TemporaryFolder;

/** A small clone: our scripts, one package, and fakes that record the calls of npm, the compiler and Go. */
beforeEach(async () => {
  clone = await temporaryFolder();
  await cp(join(packageRoot, 'scripts'), clone.at('scripts'), { recursive: true });
  const lock = JSON.stringify({ packages: { '': {}, 'node_modules/one': { version: '1.0.0' } } });
  await write('package-lock.json', lock);
  await write('node_modules/.package-lock.json', lock);
  await write('tsconfig.json', '{}');
  await write('src/main.ts', 'first');
  await write('npm-cli.js', `${note('npm')}; fs.cpSync('package-lock.json', 'node_modules/.package-lock.json');`);
  await write(
    'node_modules/typescript/bin/tsc',
    `${note('tsc')}
    if (fs.readFileSync('src/main.ts', 'utf8') === 'wrong') process.exit(2);
    for (const file of fs.readdirSync('src')) fs.cpSync('src/' + file, process.argv[3] + '/src/' + file.replace('.ts', '.js'));`,
  );
  await write('scripts/bundle.mjs', '');
  await write('scripts/bundle-console.mjs', '');
  await write('scripts/package.mjs', '');
  await mkdir(clone.at('bin'));
});
afterEach(async () => clone[Symbol.asyncDispose]());

const note = (name: string) => `const fs = require('node:fs'); fs.appendFileSync('calls', ${JSON.stringify(name)} + '\\n')`;

async function write(name: string, content: string, mode = 0o644) {
  await mkdir(dirname(clone.at(name)), { recursive: true });
  await writeFile(clone.at(name), content);
  await chmod(clone.at(name), mode);
}

async function calls(): Promise<string[]> {
  return (await readFile(clone.at('calls'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
}

async function prepare(args: string[] = [], { env = {}, node = [] }: { env?: NodeJS.ProcessEnv; node?: string[] } = {}) {
  const child = spawn(process.execPath, [...node, clone.at('scripts/prepare.mjs'), ...args], {
    env: { PATH: clone.at('bin'), HOME: clone.at('home'), npm_execpath: clone.at('npm-cli.js'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, lines: output.split('\n').filter(Boolean) };
}

const elsewhere = { env: { TEMPORAL_ADDRESS: 'temporal.example:7233' } };

it('rejects an old Node with one sentence', async () => {
  const pretend = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } })`;
  expect(await prepare([], { node: ['--import', pretend] })).toEqual({
    code: 1,
    lines: ['Rollcall requires Node 20.19 or newer; this is 18.20.4.'],
  });
});

it('installs only if a package is missing or has another version than in the lock file', async () => {
  await write('node_modules/.package-lock.json', JSON.stringify({ packages: { 'node_modules/one': { version: '0.9.0' } } }));
  expect((await prepare(['--no-build'], elsewhere)).lines).toEqual(['Installing packages (first start, or the lock file changed) …']);
  await rm(clone.at('node_modules/.package-lock.json'));
  expect((await prepare(['--no-build'], elsewhere)).code).toBe(0);
  expect(await prepare(['--no-build'], elsewhere)).toEqual({ code: 0, lines: [] });
  expect(await calls()).toEqual(['npm', 'npm']);
});

it('builds only if a source has changed or a build is forced', async () => {
  expect(await prepare([], elsewhere)).toEqual({ code: 0, lines: ['Building …'] });
  expect(await prepare([], elsewhere)).toEqual({ code: 0, lines: [] });
  await write('src/more.ts', 'another');
  await prepare([], elsewhere);
  expect(await readdir(clone.at('dist/src'))).toEqual(['main.js', 'more.js']);
  await prepare(['--force-build'], elsewhere);
  expect(await calls()).toEqual(['tsc', 'tsc', 'tsc']);
});

it('keeps the last good build if the next one fails, and tries again', async () => {
  await prepare([], elsewhere);
  await write('src/main.ts', 'wrong');
  expect(await prepare([], elsewhere)).toEqual({
    code: 1,
    lines: ['Building …', 'The build failed: fix the compiler errors above.'],
  });
  expect(await readFile(clone.at('dist/src/main.js'), 'utf8')).toBe('first');
  await write('src/main.ts', 'right again');
  expect((await prepare([], elsewhere)).code).toBe(0);
  expect(await readFile(clone.at('dist/src/main.js'), 'utf8')).toBe('right again');
  expect((await readdir(clone.path)).filter((name) => name.startsWith('dist'))).toEqual(['dist']);
});

it('builds once if two run concurrently, also after the lock of a killed one', async () => {
  await write('.rollcall/prepare-build.lock', String(process.pid));
  const results = await Promise.all([prepare([], elsewhere), prepare([], elsewhere)]);
  expect(results.map(({ code }) => code)).toEqual([0, 0]);
  expect(await calls()).toEqual(['tsc']);
  expect(await readdir(clone.at('.rollcall'))).toEqual([]);
});

it('says what to do without Temporal, Go and internet access', async () => {
  expect(await prepare(['--no-build'])).toEqual({
    code: 1,
    lines: [
      'Downloading the Temporal server (first start) …',
      'No Temporal server found: install the temporal CLI or Go (1.25 or newer) and run this again, or set TEMPORAL_ADDRESS to your own server.',
    ],
  });
});

/** Every download returns this. */
const fetching = (bytes: Buffer) => ({
  NODE_OPTIONS: `--import "data:text/javascript,globalThis.fetch = async () => new Response(Buffer.from('${bytes.toString('base64')}', 'base64'))"`,
});

it('uses a download of the Temporal server only if it has the known checksum', async () => {
  await write('temporal', '#!/bin/sh\n', 0o755);
  expect(spawnSync('tar', ['-czf', clone.at('archive.tar.gz'), '-C', clone.path, 'temporal']).status).toBe(0);
  const archive = await readFile(clone.at('archive.tar.gz'));
  const env = { ...fetching(archive), PATH: `${clone.at('bin')}:/usr/bin:/bin` };
  const { lines } = await prepare(['--no-build'], { env });
  expect(lines).toContain('The downloaded Temporal server has the wrong checksum and is not used.');

  const file = clone.at('scripts/prepare/temporal-release.mjs');
  const sha256 = createHash('sha256').update(archive).digest('hex');
  await writeFile(file, (await readFile(file, 'utf8')).replaceAll(/'[0-9a-f]{64}'/g, `'${sha256}'`));
  expect(await prepare(['--no-build'], { env })).toEqual({ code: 0, lines: ['Downloading the Temporal server (first start) …'] });
  expect(await readdir(clone.at('.rollcall/bin'))).toEqual(['temporal', 'temporal-version']);
});

it('downloads nothing for a platform without a known checksum', async () => {
  const { findArchive } = (await import(join(packageRoot, 'scripts/prepare/temporal-release.mjs'))) as {
    findArchive(platform: string, arch: string): { url: string } | undefined;
  };
  expect(findArchive('linux', 'riscv64')).toBeUndefined();
  expect(findArchive('linux', 'x64')!.url).toMatch(/\/v(\d+\.\d+\.\d+)\/temporal_cli_\1_linux_amd64\.tar\.gz$/);
});

const goBuilds = `#!/bin/sh
echo "$@" >> "$HOME/../calls"
[ "$1" = get ] || { printf '#!/bin/sh\\n' > "$GOBIN/temporal"; /bin/chmod +x "$GOBIN/temporal"; }
`;

it('builds Temporal with Go once, with a newer SQLite driver', async () => {
  await mkdir(clone.at('home'));
  await write('bin/go', goBuilds, 0o755);
  expect((await prepare(['--no-build'])).lines.at(-1)).toMatch(/^Building the Temporal server with Go \(3 to 6 minutes/);
  expect(await prepare(['--no-build'])).toEqual({ code: 0, lines: [] });
  expect(await calls()).toEqual([
    expect.stringMatching(/^get github.com\/temporalio\/cli\/cmd\/temporal@v\d\S* modernc.org\/sqlite@v\d\S*$/),
    'install github.com/temporalio/cli/cmd/temporal',
  ]);
  expect(await readdir(clone.at('.rollcall/bin'))).toEqual(['temporal', 'temporal-version']);
});

it('replaces a Temporal server that an earlier release has built, and uses it if there is no newer one', async () => {
  await mkdir(clone.at('home'));
  await write('.rollcall/bin/temporal', '#!/bin/sh\n# old\n', 0o755);
  const { code, lines } = await prepare(['--no-build']);
  expect([code, lines.at(-1)]).toEqual([0, expect.stringMatching(/The older Temporal server in .rollcall\/bin is used\./)]);
  expect(await prepare(['--no-build'])).toEqual({ code: 0, lines: [] });
  await rm(clone.at('.rollcall/bin/temporal-version'));
  await write('bin/go', goBuilds, 0o755);
  expect((await prepare(['--no-build'])).code).toBe(0);
  expect(await readFile(clone.at('.rollcall/bin/temporal'), 'utf8')).not.toContain('old');
});

it('reports why Go could not build it', async () => {
  await write('bin/go', '#!/bin/sh\necho "no route to host" >&2\nexit 1\n', 0o755);
  const { code, lines } = await prepare(['--no-build']);
  expect([code, lines.at(-1)]).toEqual([1, expect.stringMatching(/^Go could not build the Temporal server \(no route to host\): connect/)]);
  expect(await readdir(clone.at('.rollcall/bin'))).toEqual([]);
});

it('requires no Temporal of its own if TEMPORAL_ADDRESS is set, also in .env, unless it is requested', async () => {
  await write('.env', 'TEMPORAL_ADDRESS=temporal.example:7233\n');
  expect(await prepare(['--no-build'])).toEqual({ code: 0, lines: [] });
  expect((await prepare(['--no-build', '--temporal'])).code).toBe(1);
  await rm(clone.at('.env'));
  expect(await prepare(['--no-build', '--no-temporal'])).toEqual({ code: 0, lines: [] });
});
