import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { packageRoot } from '../../src/paths.ts';
import { directoryTypes } from '../../src/directory/directories/directory.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { apiKey, request, startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { untilReadable } from '../support/until-readable.ts';
import { until } from '../support/until.ts';
import { startProgram, type ChildProgram } from './child-program.ts';
import { providerPages, readBlocks, readPage, type FencedBlock } from './fenced-blocks.ts';
import { startShell, type Shell } from './shell.ts';

const quickstart = 'docs/start/quickstart.md';

/** Blocks that are not run, each identified by text that only it has. */
const notRun = [
  // The test has its own service and sets the variables.
  'npm start',
  'export ROLLCALL_API_KEY=',
  // Runs until Ctrl-C; `test/cli/listen` covers it.
  'rollcall listen',
  // These need external servers and their tools.
  'pg_dump',
  'pg_restore',
  'export DATABASE_URL=',
  'export TEMPORAL_ADDRESS=',
  'temporal ',
  // These need the embedded servers; `test/backup` and `test/keys` cover them.
  'rollcall backup',
  'rollcall keys rewrap',
];
/** Their commands need nothing but a directory. */
const pagesAboutOneDirectory = [
  'docs/guides/google.md',
  'docs/guides/receiving-events.md',
  'docs/guides/users-table.md',
  'docs/reference/events.md',
  'docs/reference/limits.md',
  'docs/operate/troubleshoot.md',
];
const pages = [
  quickstart,
  'docs/guides/providers/README.md',
  ...providerPages,
  ...pagesAboutOneDirectory,
  'docs/operate/deploy.md',
  'docs/operate/back-up.md',
  'docs/operate/security.md',
];
const isRun = ({ text }: FencedBlock) => !notRun.some((part) => text.includes(part));
/** Expected to get 401. */
const isRejected = (text: string) => text.includes('msg_made_up') || text.includes('00000000-0000-7000');
const commandsOf = (page: string) => readBlocks(page).filter((block) => block.language === 'sh' && isRun(block));

let service: TestService;
let receiver: Receiver;
let work: TemporaryFolder;
beforeAll(async () => {
  [service, receiver, work] = await Promise.all([
    startTestService({ DSYNC_GOOGLE_CLIENT_ID: 'client', DSYNC_GOOGLE_CLIENT_SECRET: 'secret' }, { recordEveryMs: 20 }),
    startReceiver(),
    temporaryFolder(),
  ]);
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
  await work[Symbol.asyncDispose]();
});

const rollcallEnv = () => ({ ROLLCALL_URL: service.baseUrl, ROLLCALL_API_KEY: apiKey, EXTERNAL_URL: service.baseUrl });

function openShell({ cwd = work.path, env = {} }: { cwd?: string; env?: Record<string, string> } = {}): Shell {
  return startShell({ cwd, home: work.path, env: { ...rollcallEnv(), ...env } });
}

interface Pasted {
  text: string;
  output: string;
  isSuccessful: boolean;
}

/** Replaces the example addresses of the page. */
async function paste(shell: Shell, block: FencedBlock): Promise<Pasted> {
  const text = withoutNpx(block.text)
    .replaceAll('https://app.example/hooks', receiver.url)
    .replaceAll('http://127.0.0.1:5226/hook', receiver.url);
  if (/\/requests"|directories requests/.test(text)) await until(async () => (await service.db('scim_requests').first()) !== undefined);
  const { output, failures } = await shell.run(text);
  return { text, output, isSuccessful: failures === (isRejected(text) ? 1 : 0) };
}

/** `npx` itself takes longer than most commands. One is run as it is. */
const withoutNpx = (text: string) =>
  text.includes('directories create')
    ? text
    : text.replaceAll('npx rollcall', `${process.execPath} ${join(packageRoot, 'dist/src/main.js')}`);

async function pasteAll(page: string, env: Record<string, string> = {}): Promise<Pasted[]> {
  await using shell = openShell({ env });
  const pasted: Pasted[] = [];
  for (const block of commandsOf(page)) pasted.push(await paste(shell, block));
  return pasted;
}

const failed = (pasted: Pasted[]) => pasted.filter(({ isSuccessful }) => !isSuccessful);
const outputOf = (pasted: Pasted[], part: string) => pasted.find(({ text }) => text.includes(part))!.output;
const dataOf = (json: string) => (JSON.parse(json) as { data: unknown }).data;
const typeOf = (page: string) => /"type":"([\w-]+)"/.exec(readPage(page))?.[1];

it('the quickstart works step by step and prints what it shows', async () => {
  const port = String(await findFreePort());
  const blocks = readBlocks(quickstart).map((block) => ({
    ...block,
    text: block.text.replaceAll('5226', port).replaceAll(/(\.\/)?\.rollcall\/quickstart-/g, work.at('quickstart-')),
  }));
  // In the folder of the clone, as the page says.
  await using shell = openShell({ cwd: packageRoot });
  const pasted: Pasted[] = [];
  const promised: string[] = [];
  let terminal: ChildProgram | undefined;
  let onlooker: ChildProgram | undefined;
  const looked = () =>
    [...(onlooker?.output() ?? '').matchAll(/#(\d+) +([a-z]+\.[a-z_]+)/g)].map(([, sequence, event]) => `${sequence} ${event}`);
  const said = () => (terminal?.output() ?? '').trimEnd().split('\n').slice(1);
  try {
    for (const block of blocks) {
      if (block.text.includes('createServer')) {
        const started = (terminal = startProgram('bash', ['-c', block.text], { cwd: packageRoot, env: {} }));
        await until(() => started.output().includes('waiting for webhooks'));
      } else if (block.text.includes('events tail')) {
        const started = (onlooker = startProgram('bash', ['-c', withoutNpx(block.text)], { cwd: packageRoot, env: rollcallEnv() }));
        await until(() => started.output().includes('Waiting for events'), { timeoutMs: 30_000 });
      } else if (block.language === 'sh' && isRun(block)) {
        if (block.text.includes('directories delete')) {
          // The feed shows an event once the older transactions of other tests have ended, and loses those of a deleted directory.
          await untilReadable(service.db);
          await until(() => looked().length >= 6);
        }
        pasted.push(await paste(shell, block));
      } else if (block.language === 'text') {
        promised.push(...block.text.trimEnd().split('\n'));
        await until(() => said().length >= promised.length);
      }
    }
  } finally {
    await Promise.all([terminal?.[Symbol.asyncDispose](), onlooker?.[Symbol.asyncDispose]()]);
  }
  expect(failed(pasted)).toEqual([]);
  expect(promised).toHaveLength(8);
  expect(looked()).toEqual(
    promised
      .filter((line) => /^\d/.test(line))
      .slice(0, 6)
      .map((line) => line.split(' ').slice(0, 2).join(' ')),
  );
  expect(said()).toEqual(promised);
}, 240_000);

it('each type of directory has a page, listed in the provider index', () => {
  const rows = [...readPage('docs/guides/providers/README.md').matchAll(/^\|[^|]+\| `([\w-]+)` +\| \[(\S+)\]/gm)];
  expect(new Set(rows.map(([, type]) => type))).toEqual(new Set(directoryTypes));
  expect(new Map(rows.map(([, type, page]) => [`docs/guides/providers/${page}`, type]))).toEqual(
    new Map(providerPages.map((page) => [page, typeOf(page)])),
  );
});

it('a SCIM address without a secret gets the response that the provider index promises', async () => {
  const pasted = await pasteAll('docs/guides/providers/README.md');
  expect(failed(pasted)).toEqual([]);
  expect(outputOf(pasted, '0000-7000')).toContain('Unknown directory or invalid bearer token');
});

interface CreatedDirectory {
  id: string;
  scim: { endpoint: string; secret: string };
}

const isPushing = (page: string) => typeOf(page)!.endsWith('-scim-v2');
const pushing = providerPages.filter(isPushing);

it.each(pushing)('the commands of %s work, and both secrets are valid after the rotation', async (page) => {
  const pasted = await pasteAll(page);
  expect(failed(pasted)).toEqual([]);
  const { id, scim } = dataOf(readFileSync(work.at('directory.json'), 'utf8')) as CreatedDirectory;
  expect(scim.endpoint.endsWith('/?aadOptscim062020')).toBe(typeOf(page) === 'azure-scim-v2');
  // Requests are recorded after their response, and these commands are faster than a person.
  expect(dataOf(outputOf(pasted, '/requests"'))).toEqual(expect.any(Array));
  await until(async () => (await service.api('GET', `/api/v1/directory-sync/${id}/requests`)).body.data.length > 0);

  const rotated = dataOf(outputOf(pasted, '/rotate"')) as { secret: string; previous_valid_until: string };
  expect(Date.parse(rotated.previous_valid_until) - Date.now()).toBeGreaterThan(6 * 86_400_000);
  for (const secret of [scim.secret, rotated.secret]) {
    const { status } = await request(`${service.baseUrl}/api/scim/v2.0/${id}/Users`, 'GET', undefined, {
      authorization: `Bearer ${secret}`,
    });
    expect(status).toBe(200);
  }

  const promised = eventsPromisedBy(page);
  const received = () => receiver.received.filter(({ event }) => event.directory_id === id).map(({ event }) => event.event);
  await until(() => received().length >= promised.length);
  expect(received()).toEqual(promised);
});

it.each(providerPages.filter((page) => !isPushing(page)))('the commands of %s work', async (page) => {
  expect(failed(await pasteAll(page))).toEqual([]);
});

it("the template on OneLogin's page creates a user with a name and an email", async () => {
  const directory = await service.createDirectory({ type: 'onelogin-scim-v2' });
  const template = readBlocks('docs/guides/providers/onelogin.md').find(({ language }) => language === 'json')!;
  const sent = template.text
    .replace('{$parameters.scimusername}', 'ada@example.com')
    .replace('{$user.firstname}', 'Ada')
    .replace('{$user.lastname}', 'Lovelace')
    .replace('{$user.display_name}', 'Ada Lovelace')
    .replace('{$user.email}', 'ada@example.com');
  expect(sent).not.toContain('{$');
  expect((await directory.scim('POST', '/Users', sent)).status).toBe(201);
  const { body } = await service.api('GET', `/api/v1/directory-sync/users?directory_id=${directory.id}`);
  expect(body.data).toMatchObject([{ email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace', active: true }]);
});

it.each(pagesAboutOneDirectory)('the commands of %s work', async (page) => {
  const directory = await service.createDirectory({ webhook_url: receiver.url });
  await directory.scim('POST', '/Users', { userName: 'ada@example.com' });
  const pasted = await pasteAll(page, { DIRECTORY_ID: directory.id, CURSOR: '' });
  expect(pasted).not.toEqual([]);
  expect(failed(pasted)).toEqual([]);
});

it('every block of commands is run, except those that need other servers', () => {
  const left = pages.flatMap((page) => readBlocks(page)).filter((block) => block.language === 'sh' && !isRun(block));
  expect(left.map(({ page, heading }) => `${page}: ${heading}`)).toEqual([
    'docs/start/quickstart.md: In three commands',
    'docs/start/quickstart.md: In three commands',
    'docs/start/quickstart.md: 1. Start Rollcall',
    'docs/start/quickstart.md: 1. Start Rollcall',
    'docs/guides/providers/README.md: Before you begin',
    'docs/operate/deploy.md: Postgres',
    'docs/operate/deploy.md: Temporal',
    'docs/operate/deploy.md: Temporal',
    'docs/operate/deploy.md: Temporal Cloud',
    'docs/operate/deploy.md: Move from embedded to your own servers',
    'docs/operate/back-up.md: With the embedded Postgres',
    'docs/operate/back-up.md: With your own Postgres',
    'docs/operate/back-up.md: With your own Postgres',
    'docs/operate/security.md: Rotate an encryption key',
  ]);
});

it.each(['docs/operate/troubleshoot.md', 'docs/operate/monitor.md', 'docs/guides/google.md'])(
  '%s names only codes, states and metrics that the code has',
  (page) => {
    const firstCells = [...readPage(page).matchAll(/^\| ([^|]*)/gm)].map(([, cell]) => cell!);
    const named = firstCells.flatMap((cell) => [...cell.matchAll(/`([a-z]+(?:_[a-z]+)+|tooMany)[`{]/g)].map(([, name]) => name!));
    expect(named.length).toBeGreaterThan(4);
    const code = ['src', 'activities'].flatMap(sourcesUnder).join('\n');
    expect(named.filter((name) => !code.includes(name.replace(/_count$/, '')))).toEqual([]);
  },
);

/** The events that a page promises, in order. */
function eventsPromisedBy(page: string): string[] {
  const sentence = /Your application gets [^]*?in this order/.exec(readPage(page))?.[0] ?? '';
  return [...sentence.matchAll(/`((?:user|group)\.\w+)`/g)].map(([, event]) => event!);
}

function sourcesUnder(folder: string): string[] {
  return readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(packageRoot, folder, name), 'utf8'));
}
