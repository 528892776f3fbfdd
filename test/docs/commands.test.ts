import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { directoryTypes } from '../../src/directory/directory.ts';
import { freePort } from '../../src/embedded/free-port.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { apiKey, request, startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { startProgram } from './child-program.ts';
import { providerPages, readBlocks, readPage, type FencedBlock } from './fenced-blocks.ts';
import { startShell, type Shell } from './shell.ts';

const root = join(import.meta.dirname, '../..');
const quickstart = 'docs/quickstart.md';

/** What is not run: each by a text that only it has, and why. */
const notRun: [text: string, why: string][] = [
  ['npm start', 'another service runs here'],
  ['export ROLLCALL_API_KEY=', 'they are set to the service that runs here'],
];
const isRun = ({ text }: FencedBlock) => !notRun.some(([part]) => text.includes(part));
/** Answered with 401, and meant to be. */
const isRefused = ({ text }: FencedBlock) => text.includes('msg_made_up') || text.includes('00000000-0000-7000');
const commandsOf = (page: string) => readBlocks(page).filter((block) => block.language === 'sh' && isRun(block));

let service: TestService;
let receiver: Receiver;
let folder: TemporaryFolder;
beforeAll(async () => {
  [service, receiver, folder] = await Promise.all([
    startTestService({ DSYNC_GOOGLE_CLIENT_ID: 'client', DSYNC_GOOGLE_CLIENT_SECRET: 'secret' }, { recordEveryMs: 20 }),
    startReceiver(),
    temporaryFolder(),
  ]);
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
  await folder[Symbol.asyncDispose]();
});

function openShell(env: Record<string, string> = {}): Shell {
  return startShell({
    cwd: folder.path,
    env: { ROLLCALL_URL: service.baseUrl, ROLLCALL_API_KEY: apiKey, EXTERNAL_URL: service.baseUrl, ...env },
  });
}

/** With the page's example addresses as they are here; what it says must work, and what is printed is given back. */
async function paste(shell: Shell, block: FencedBlock): Promise<string> {
  const text = block.text.replaceAll('https://app.example/hooks', receiver.url).replaceAll('http://127.0.0.1:5226/hook', receiver.url);
  if (text.includes('/requests"')) await until(async () => (await service.db('scim_requests').first()) !== undefined);
  const { output, failures } = await shell.run(text);
  expect({ text, output, failures }).toEqual({ text, output, failures: isRefused(block) ? 1 : 0 });
  return output;
}

const typeOf = (page: string) => /"type":"([\w-]+)"/.exec(readPage(page))?.[1];
const readJson = (output: string) => JSON.parse(output) as { data: Record<string, never>[] };

describe('the quickstart', () => {
  it('leads to what it says, step by step', async () => {
    const port = String(await freePort());
    const here = (block: FencedBlock) => ({
      ...block,
      text: block.text.replaceAll('5226', port).replaceAll('/tmp/rollcall-', folder.at('rollcall-')),
    });
    await using shell = openShell();
    await using terminals = new AsyncDisposableStack();
    let said = () => '';
    let heard = 0;
    for (const block of readBlocks(quickstart).map(here)) {
      if (block.text.includes('createServer')) {
        // As the page says, in the folder of the clone.
        const terminal = terminals.use(startProgram('bash', ['-c', block.text], { cwd: root, env: {} }));
        said = terminal.output;
        await until(() => said().includes('waiting for webhooks'));
        heard = 1;
      } else if (block.language === 'sh' && isRun(block)) {
        await paste(shell, block);
      } else if (block.language === 'text') {
        const wanted = block.text.trimEnd().split('\n');
        await until(() => said().trimEnd().split('\n').length >= heard + wanted.length);
        expect(said().trimEnd().split('\n').slice(heard)).toEqual(wanted);
        heard += wanted.length;
      }
    }
    expect(heard).toBe(8);
  });
});

describe('the pages of the providers', () => {
  it('are one for each type, as the index says', () => {
    const rows = [...readPage('docs/providers/README.md').matchAll(/^\|[^|]+\| `([\w-]+)` +\| \[(\S+)\]/gm)];
    expect(rows.map(([, type]) => type).sort()).toEqual([...directoryTypes].sort());
    expect(rows.map(([, type, page]) => [`docs/providers/${page}`, type]).sort()).toEqual(
      providerPages.map((page) => [page, typeOf(page)]).sort(),
    );
  });

  it.each(['docs/providers/README.md', ...providerPages])('the commands of %s work', async (page) => {
    await using shell = openShell();
    for (const block of commandsOf(page)) {
      const output = await paste(shell, block);
      if (block.text.includes('/requests"')) expect(readJson(output).data.length).toBeGreaterThan(0);
      if (block.text.includes('0000-7000')) expect(output).toContain('The directory or its secret is not known here');
    }
  });

  it.each(providerPages.filter((page) => typeOf(page) !== 'google'))('%s: both secrets are valid after a rotation', async (page) => {
    await using shell = openShell();
    for (const block of commandsOf(page).filter(({ text }) => text.includes('"type":'))) await paste(shell, block);
    const { endpoint, secret } = JSON.parse((await shell.run('cat directory.json')).output).data.scim as Record<string, string>;
    expect(endpoint!.endsWith('/?aadOptscim062020')).toBe(typeOf(page) === 'azure-scim-v2');
    expect(readPage(page)).toContain('`scim.endpoint`');

    const [rotation] = commandsOf(page).filter(({ text }) => text.includes('/rotate'));
    const { secret: next, previous_valid_until: until } = JSON.parse(await paste(shell, rotation!)).data as Record<string, string>;
    expect(Date.parse(until!) - Date.now()).toBeGreaterThan(6 * 86_400_000);
    for (const valid of [secret, next]) {
      const { status } = await request(endpoint!.replace(/\/\?.*$|$/, '/Users'), 'GET', undefined, { authorization: `Bearer ${valid}` });
      expect(status).toBe(200);
    }
  });

  it('tells the application what the generic page says, in that order', async () => {
    const page = 'docs/providers/generic.md';
    const [sentence] = /Your application gets [^]*?\./.exec(
      readPage(page)
        .replaceAll('\n', ' ')
        .replaceAll(/`(\w+)\.(\w+)`/g, '$1:$2'),
    )!;
    const told = [...sentence.matchAll(/\b(?:user|group):\w+/g)].map(([event]) => event.replace(':', '.'));
    const before = receiver.received.length;
    await using shell = openShell();
    for (const block of commandsOf(page)) await paste(shell, block);
    await until(() => receiver.received.length >= before + told.length);
    expect(receiver.received.slice(before).map(({ event }) => event.event)).toEqual(told);
  });

  it("the template of OneLogin's page makes a user with a name and an address", async () => {
    const directory = await service.createDirectory({ type: 'onelogin-scim-v2' });
    const [template] = readBlocks('docs/providers/onelogin.md').filter(({ language }) => language === 'json');
    const sent = template!.text
      .replace('{$parameters.scimusername}', 'ada@example.com')
      .replace('{$user.firstname}', 'Ada')
      .replace('{$user.lastname}', 'Lovelace')
      .replace('{$user.display_name}', 'Ada Lovelace')
      .replace('{$user.email}', 'ada@example.com');
    expect(sent).not.toContain('{$');
    expect((await directory.scim('POST', '/Users', sent)).status).toBe(201);
    const { body } = await service.api('GET', `/api/v1/directory-sync/users?directoryId=${directory.id}`);
    expect(body.data).toMatchObject([{ email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace', active: true }]);
  });
});

describe('the pages about events, Google and operations', () => {
  it.each(['docs/events.md', 'docs/google.md', 'docs/operations.md'])('the commands of %s that ask Rollcall work', async (page) => {
    const directory = await service.createDirectory({ webhook_url: receiver.url });
    await directory.scim('POST', '/Users', { userName: 'ada@example.com' });
    await using shell = openShell({ DIRECTORY_ID: directory.id, CURSOR: '' });
    const asking = commandsOf(page).filter(({ text }) => text.includes('$ROLLCALL_URL'));
    expect(asking).not.toEqual([]);
    for (const block of asking) await paste(shell, block);
  });
});
