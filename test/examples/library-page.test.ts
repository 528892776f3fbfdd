import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { packageRoot } from '../../src/paths.ts';
import { cloneDatabase } from '../support/database.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const embedding = await readFile(join(packageRoot, 'docs/guides/embedding.md'), 'utf8');
const migrating = await readFile(join(packageRoot, 'docs/start/migrate-from-polis.md'), 'utf8');

const programOf = (page: string, from: string, to?: string) =>
  [...page.slice(page.indexOf(from), to === undefined ? undefined : page.indexOf(to)).matchAll(/^```js\n([^]*?)^```$/gm)]
    .map(([, code]) => code)
    .join('\n');

async function run(program: string, env: Record<string, string>): Promise<string[]> {
  await using folder = await temporaryFolder();
  await mkdir(folder.at('node_modules'));
  await symlink(packageRoot, folder.at('node_modules/rollcall'), 'dir');
  await writeFile(folder.at('program.mjs'), program);
  const database = await cloneDatabase();
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ['program.mjs'], {
      cwd: folder.path,
      env: { PATH: process.env['PATH'] ?? '', DATABASE_URL: database.url, ...env },
    });
    return stdout.split('\n').filter(Boolean);
  } finally {
    await database.drop();
  }
}

it('the program on the page about embedding serves a directory and catches up', async () => {
  const push = `
    const [{ once }, { connect }] = await Promise.all([import('node:events'), import('node:net')]);
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const invalid = connect(server.address().port, '127.0.0.1');
    invalid.end('GET // HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n');
    await once(invalid.resume(), 'close');
    const scimAddress = \`http://127.0.0.1:\${server.address().port}/api/scim/v2.0/\${directory.id}/Users\`;
    const { status } = await fetch(scimAddress, {
      method: 'POST',
      headers: { authorization: \`Bearer \${directory.scim.secret}\`, 'content-type': 'application/scim+json' },
      body: JSON.stringify({ userName: 'ada@example.com' }),
    });
    console.log('pushed', status);
    const seen = [];
    await catchUp(async ({ event }) => seen.push(event));
    await catchUp(async ({ event }) => seen.push(event));
    console.log('caught up with', seen.join());
    server.close();
    await sync.stop();`;
  const program = programOf(embedding, '## Start', '## With Temporal');
  expect(await run(`${program}${push}`, { ENCRYPTION_KEY: randomBytes(32).toString('base64') })).toEqual([
    expect.stringMatching(/^For the identity provider: https:\/\/app\.example\/api\/scim\/v2\.0\//),
    '0 null',
    expect.stringMatching(/^user\.created /),
    'pushed 201',
    'caught up with user.created',
  ]);
});

it('the program on the page about migrating from Polis runs', async () => {
  const program = programOf(migrating, '## The library');
  const key = randomBytes(16).toString('hex');
  expect(await run(program, { DB_ENCRYPTION_KEY: key })).toEqual([expect.stringMatching(/^user\.created /), '1']);
});
