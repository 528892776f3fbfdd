import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { importFrom } from '../support/import-polis.ts';
import { usePolisAndTarget } from '../support/polis-tables.ts';

const { target } = usePolisAndTarget();

it('reads Polis over HTTP, page by page, for databases of other engines', async () => {
  const directory = {
    id: '0b0f6f3e-6d0e-4a57-9f0e-0c6f3f0a9f11',
    name: 'Over HTTP',
    tenant: 'http',
    product: 'crm',
    type: 'azure-scim-v2',
    log_webhook_events: true,
    webhook: { endpoint: 'https://app.example/hooks', secret: 'the old webhook secret' },
    scim: { path: '/api/scim/v2.0/x/?aadOptscim062020', secret: 'the-old-scim-secret-22' },
  };
  const users = Array.from({ length: 120 }, (_, number) => ({
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    email: `user-${number}@example.com`,
    first_name: 'Ada',
    last_name: 'Lovelace',
    active: true,
    raw: { userName: `user-${number}@example.com`, badge: 'the number 9007199254740993' },
  }));
  const group = { id: 'group-1', name: 'All', raw: { displayName: 'All', members: [] } };
  const link = {
    setupID: 'the ID',
    tenant: directory.tenant,
    product: 'crm',
    service: 'dsync',
    validTill: Date.now() + 86_400_000,
    url: `https://polis.example/setup/${'ab'.repeat(24)}`,
    webhook_url: 'https://app.example/hooks',
    webhook_secret: 'secret',
  };
  const lists: Record<string, unknown[]> = {
    '/api/v1/dsync/product': [directory],
    '/api/v1/dsync/users': users,
    '/api/v1/dsync/groups': [group],
    '/api/v1/dsync/setuplinks/product': [link],
    '/api/v1/dsync/groups/group-1/members': users.map(({ id }) => ({ user_id: id })),
  };
  let version = '26.2.7';
  const states = new Set<string>();
  const server = await serve(async (path, query, key) => {
    if (path === '/api/v1/dsync/users')
      for (const state of await target.db('pg_stat_activity').whereRaw('datname = current_database()').pluck<string[]>('state'))
        states.add(state);
    if (path === '/api/health') return [200, { version }];
    if (key !== 'Api-Key the-key') return [401, { error: { message: 'Unauthorized' } }];
    const list = lists[path];
    const [offset, limit] = [Number(query.get('pageOffset')), Number(query.get('pageLimit'))];
    // DB_PAGE_LIMIT is 20.
    return list ? [200, { data: list.slice(offset, offset + Math.min(limit, 20)), error: null }] : [404, {}];
  });
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const rejected = await importFrom(url, target.url, ['--source-api-key', 'wrong', '--product', 'crm']);
    expect([rejected.code, rejected.stderr]).toEqual([1, expect.stringContaining('rejects --source-api-key. Nothing was written.')]);
    const { report } = await importFrom(url, target.url, ['--source-api-key', 'the-key', '--product', 'crm']);
    expect(report!.directories).toMatchObject([
      {
        id: directory.id,
        status: 'imported',
        users: { read: 120, imported: 120 },
        groups: { imported: 1 },
        memberships: { imported: 120 },
      },
    ]);
    expect(report!.directories[0]!.checksums!.target).toEqual(report!.directories[0]!.checksums!.source);
    // Lists of Polis have the newest first, and so have ours.
    expect(await target.db('users').where({ directory_id: directory.id }).orderBy('created_at', 'desc').pluck('id')).toEqual(
      users.map(({ id }) => id),
    );
    expect(await target.db('group_members').where({ directory_id: directory.id }).orderBy('position', 'desc').pluck('member_id')).toEqual(
      users.map(({ id }) => id),
    );
    expect(report!.setup_links).toMatchObject({ read: 1, imported: 1, unreadable: [] });
    expect(await target.db('users').where({ directory_id: directory.id }).first('resource')).toMatchObject({
      resource: { badge: '9007199254740993' },
    });
    // A connection of a pool would be closed if Polis took long to respond.
    expect(states).toContain('idle in transaction');
    expect((await importFrom(url, target.url, ['--source-api-key', 'the-key', '--product', 'crm'])).report!.directories).toMatchObject([
      { status: 'unchanged' },
    ]);
    version = '26.3.0';
    const tooNew = await importFrom(url, target.url, ['--source-api-key', 'the-key', '--product', 'crm']);
    expect([tooNew.code, tooNew.stderr]).toEqual([
      1,
      expect.stringContaining('is version 26.3, and this version of Rollcall reads versions up to 26.2'),
    ]);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

type Respond = (path: string, query: URLSearchParams, key: string | undefined) => Promise<[status: number, body: object]>;

async function serve(respond: Respond): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://127.0.0.1');
    void respond(pathname, searchParams, request.headers.authorization).then(([status, body]) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body).replaceAll(/"the number (\d+)"/g, '$1')),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
