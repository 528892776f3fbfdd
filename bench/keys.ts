import { request } from 'undici';
import { createClient } from './support/client.ts';
import type { Cleanup } from './support/cleanup.ts';
import { createDirectories } from './support/directories.ts';
import { withDatabase } from './support/fill.ts';
import { introduce } from './support/machine.ts';
import type { Options } from './support/options.ts';
import { startServers } from './support/servers.ts';
import { prepareRollcall, startRollcall } from './support/sides.ts';
import { formatNumber, printTarget, startTable } from './support/table.ts';
import { timeAlternately, type Times } from './support/time-alternately.ts';
import { createUser, makeUser, nextTag } from './support/users.ts';

const introduction = `
The cost of API keys. One reader gets one user by the JSON API, alternately with a root key, with a key that has only the scope, and with one
that is also narrowed to the directory, and with the session of somebody who has signed in with a root key. Then the same with 10,000 keys.
`;

const targets = { costRatio: 1.03, manyRatio: 1.03 };
const manyKeys = 10_000;
/** The difference is small and requires many reads. */
const readsPerRequest = 20;

export async function measureKeys(options: Options, cleanup: Cleanup): Promise<object> {
  const machine = introduce(introduction);
  const servers = await startServers(cleanup);
  const rollcall = await startRollcall(servers, await prepareRollcall(servers), cleanup);
  const { baseUrl, apiKey } = rollcall;
  const [directory] = await createDirectories({ baseUrl, apiKey, count: 1 });
  const client = createClient({ baseUrl, signal: cleanup.signal });
  cleanup.add(() => client.close());
  const { id } = await client.fetch<{ id: string }>(createUser(directory!, makeUser(nextTag())));

  const path = `/api/v1/directory-sync/users/${id}?directory_id=${directory!.id}`;
  const read =
    (secret: string, headers: Record<string, string> = {}) =>
    async () => {
      const { ms, failure } = await client.send({ method: 'GET', path, secret, headers, statuses: [200] });
      if (failure !== undefined) throw new Error(failure);
      return ms;
    };
  const scopes = ['people:read'];
  const reads = {
    'root key': read(apiKey),
    'scoped key': read(await createKey(rollcall, { scopes })),
    'narrowed key': read(await createKey(rollcall, { scopes, directory_id: directory!.id })),
    // With an Authorization header, the cookie would not be used.
    session: read('', { authorization: '', cookie: await signIn(rollcall) }),
  };
  const few = await timeAlternately(reads, options.requests * readsPerRequest);
  print('few keys', few);
  await withDatabase(rollcall.databaseUrl, (db) =>
    db.raw(
      `with added as (
         insert into api_keys (id, name, scopes, created_by)
         select gen_random_uuid(), 'filled', '{people:read}', 'root_1' from generate_series(1, :count) returning id)
       insert into api_key_values (prefix, key_id, hash) select 'rcl_' || row_number() over (), id, sha256(cast(cast(id as text) as bytea)) from added`,
      { count: manyKeys },
    ),
  );
  const many = await timeAlternately(reads, options.requests * readsPerRequest);
  print(`${manyKeys} keys`, many);

  console.log('');
  for (const name of ['scoped key', 'narrowed key'] as const)
    printTarget({
      title: `read with a ${name} vs a root key, p50`,
      value: few[name].p50Ms / few['root key'].p50Ms,
      relation: '≤',
      bound: targets.costRatio,
      unit: 'x',
    });
  printTarget({
    title: `read with a narrowed key vs a root key, ${manyKeys} keys, p50`,
    value: many['narrowed key'].p50Ms / many['root key'].p50Ms,
    relation: '≤',
    bound: targets.manyRatio,
    unit: 'x',
  });
  return { machine, options, few, many };
}

async function createKey({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }, fields: object): Promise<string> {
  const { statusCode, body } = await request(`${baseUrl}/api/v1/api-keys`, {
    method: 'POST',
    headers: { authorization: `Api-Key ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench', ...fields }),
  });
  const text = await body.text();
  if (statusCode !== 201) throw new Error(`Could not create an API key: ${statusCode} ${text}`);
  return (JSON.parse(text) as { data: { key: string } }).data.key;
}

/** Returns the cookie. */
async function signIn({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): Promise<string> {
  const { statusCode, headers, body } = await request(`${baseUrl}/api/v1/sessions`, {
    method: 'POST',
    headers: { origin: new URL(baseUrl).origin, 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: apiKey }),
  });
  const text = await body.text();
  const [cookie] = [headers['set-cookie']].flat();
  if (statusCode !== 201 || cookie === undefined) throw new Error(`Could not sign in: ${statusCode} ${text}`);
  return cookie.split(';')[0]!;
}

function print(title: string, times: Record<string, Times>) {
  const row = startTable([
    { title: `a read, ${title}`, width: 24 },
    { title: 'p50 ms', width: 7 },
    { title: 'p95 ms', width: 7 },
  ]);
  for (const [name, { p50Ms, p95Ms }] of Object.entries(times)) row([name, formatNumber(p50Ms), formatNumber(p95Ms)]);
}
