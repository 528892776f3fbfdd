import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ada, startTestService, type ServiceResponse, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let directory: TestDirectory;
beforeAll(async () => {
  service = await startTestService({ MAX_BODY_BYTES: '200000' }, { deliver: false, recordEveryMs: 20 });
  directory = await service.createDirectory();
});
afterAll(() => service.stop());

interface Recorded {
  [name: string]: unknown;
  request_id: string;
  path: string;
  body: string | null;
  body_state: string;
}

const read = (id: string, query = '') => service.api('GET', `/api/v1/directory-sync/${id}/scim-requests${query}`);

async function recordOf({ headers }: ServiceResponse, { id } = directory): Promise<Recorded> {
  const requestId = headers.get('x-request-id');
  return until(async () => ((await read(id)).body.data as Recorded[]).find(({ request_id }) => request_id === requestId));
}

const everything = async () => JSON.stringify(await service.db('scim_requests').select('*'));

describe('a pushed request', () => {
  it('is recorded with its response', async () => {
    const body = `{ "userName" : "grace@example.com",\n"active":"True", "unknown": 1.0 }`;
    const pushed = await directory.scim('POST', '/Users?attributes=userName', body, {
      'user-agent': `Okta ${'x'.repeat(300)}`,
      'x-request-id': 'from-okta-1',
    });
    expect(pushed.status).toBe(201);
    const record = await recordOf(pushed);
    expect(record).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      at: expect.stringMatching(/^20..-..-..T..:..:..\....Z$/),
      method: 'POST',
      path: '/Users?attributes=userName',
      status: 201,
      scim_type: null,
      detail: null,
      duration_ms: expect.any(Number),
      request_id: 'from-okta-1',
      user_agent: `Okta ${'x'.repeat(195)}`,
      content_type: 'application/scim+json',
      body,
      body_state: 'complete',
      body_bytes: body.length,
      unknown_attributes: [{ name: 'unknown', suggestion: null }],
    });
    expect(Math.abs(Date.parse(record['at'] as string) - Date.now())).toBeLessThan(60_000);
    expect(await everything()).not.toContain(directory.secret);
  });

  it.each([
    ['a rejected value', 'POST', '/Users', '{"userName":7}', { status: 400, scim_type: 'invalidValue', body: '{"userName":7}' }],
    [
      'no JSON',
      'POST',
      '/Users',
      '{"userName":',
      { status: 400, scim_type: 'invalidSyntax', body: '{"userName":', body_state: 'complete' },
    ],
    ['a filter that cannot be read', 'GET', '/Users?filter=userName%20is', undefined, { status: 400, scim_type: 'invalidFilter' }],
    ['an unknown user', 'GET', `/Users/${randomUUID()}`, undefined, { status: 404, scim_type: null, body: null, body_state: 'none' }],
    ['an unknown address', 'POST', '//Nothing', '{}', { status: 404, path: '//Nothing', body: null, body_state: 'unread', body_bytes: 2 }],
    ['a method that is not possible', 'PATCH', '/Users', '{}', { status: 405, method: 'PATCH' }],
    ['a body that is too large', 'POST', '/Users', 'x'.repeat(200_001), { status: 413, body: null, body_state: 'unread' }],
  ])('is recorded with its error: %s', async (_, method, path, body, expected) => {
    const pushed = await directory.scim(method, path, body);
    expect(await recordOf(pushed)).toMatchObject({ ...expected, detail: pushed.body.detail });
  });

  it('is recorded if its directory is deactivated', async () => {
    const deactivated = await service.createDirectory();
    await service.api('PATCH', `/api/v1/directory-sync/${deactivated.id}`, { deactivated: true });
    const pushed = await deactivated.scim('POST', '/Users', ada);
    expect(await recordOf(pushed, deactivated)).toMatchObject({
      status: 403,
      detail: expect.stringContaining('deactivated'),
      body_state: 'unread',
    });
  });

  it('is cut after 16 KiB, between characters', async () => {
    const body = JSON.stringify({ title: `x${'é'.repeat(10_000)}`, userName: 'long' });
    const record = await recordOf(await directory.scim('POST', '/Users', body));
    expect(record).toMatchObject({ body_state: 'truncated', body_bytes: Buffer.byteLength(body) });
    expect(Buffer.byteLength(record.body!)).toBe(16_383);
    expect(body.startsWith(record.body!)).toBe(true);
  });

  it.each([
    ['is not UTF-8', Buffer.from([0x7b, 0xff]), 'redacted'],
    ['has NUL characters', Buffer.from('{"userName":"ada"', 'utf16le'), 'redacted'],
    ['is empty', Buffer.from(''), 'none'],
  ])('is recorded without a body that %s', async (_, body, state) => {
    const response = await fetch(`${service.baseUrl}/api/scim/v2.0/${directory.id}/Users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${directory.secret}`, 'content-type': 'application/scim+json' },
      body,
    });
    expect(response.status).toBe(400);
    const record = await recordOf({ headers: response.headers, status: 400, body: undefined });
    expect(record).toMatchObject({ body: null, body_state: state, body_bytes: body.length });
  });
});

const patch = (...operations: unknown[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: operations,
});

describe('a password', () => {
  const secret = 'hunter2-of-ada';

  it('is stored nowhere, in whatever form it was sent', async () => {
    const user = await directory.scim('POST', '/Users', { ...ada, userName: 'secretive', password: secret });
    expect(user.status).toBe(201);
    const one = `/Users/${user.body.id}`;
    const pushed = [
      user,
      await directory.scim('PUT', one, { ...ada, userName: 'secretive', PASSWORD: secret }),
      await directory.scim('PATCH', one, patch({ op: 'replace', path: 'password', value: secret })),
      await directory.scim('PATCH', one, patch({ value: secret, path: 'urn:ietf:params:scim:schemas:core:2.0:User:Password', op: 'Add' })),
      await directory.scim('PATCH', one, patch({ op: 'replace', value: { password: secret, title: 'x' } })),
      await directory.scim('PATCH', one, `{"Operations":[{"op":"replace","value":{"p\\u0061ssword":"${secret}"}}]}`),
      await directory.scim('POST', '/Bulk', {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
        Operations: [{ method: 'POST', path: '/Users', bulkId: 'a', data: { userName: 'bulky', password: secret } }],
      }),
      await directory.scim('POST', '/Users', { userName: 'large', password: secret, title: 'x'.repeat(20_000) }),
      await directory.scim('POST', '/Users', `{"userName":"a","password":"${secret}",}`),
      await directory.scim('POST', '/Users', `{"userName":"a","p\\u0061ssword":"${secret}",}`),
      await directory.scim('GET', `/Users?count=1&filter=p%61ssword%20eq%20%22${secret}%22`),
      await directory.scim('GET', `/Users?password=${secret}`),
      await directory.scim('POST', '/Users/.search', { filter: `password eq "${secret}"` }),
      await directory.scim('PATCH', one, patch({ value: secret, x: 'x'.repeat(20_000), path: 'password', op: 'replace' })),
    ];
    const records = await Promise.all(pushed.map((response) => recordOf(response)));

    expect(await everything()).not.toContain(secret);
    expect(records[0]!.body).toBe(JSON.stringify({ ...ada, userName: 'secretive', password: '[removed]' }));
    expect(records[2]!.body).toContain('"path":"password","value":"[removed]"');
    expect(records.slice(8, 10).map(({ body, body_state: state }) => [body, state])).toEqual([
      [null, 'redacted'],
      [null, 'redacted'],
    ]);
    expect(records.slice(10, 12).map(({ path }) => path)).toEqual(['/Users?count=1&[removed]', '/Users?[removed]']);
  });
});

describe('the recorded requests', () => {
  it('are the newest 100, newest first, by pages', async () => {
    const busy = await service.createDirectory();
    for (let number = 1; number <= 103; number += 1) await busy.scim('GET', `/Users?count=${number}`);
    const all = await until(async () => {
      const { body } = await read(busy.id, '?pageLimit=1000');
      return body.data[0].path === '/Users?count=103' && body.data;
    });
    expect(all.map(({ path }: Recorded) => path)).toEqual(Array.from({ length: 100 }, (_, index) => `/Users?count=${103 - index}`));
    expect(await service.db('scim_requests').where({ directory_id: busy.id }).count()).toEqual([{ count: 100 }]);

    const page = await service.api('GET', `/api/v1/dsync/${busy.id}/scim-requests?pageOffset=98&pageLimit=50`);
    expect(page.body).toEqual({ data: all.slice(98), error: null, next_cursor: null });
    expect((await read(busy.id)).body.data).toHaveLength(50);
    expect((await read(busy.id, '?pageOffset=200')).body.data).toEqual([]);
    expect(await read(busy.id, '?offset=x')).toMatchObject({ status: 400, body: { error: { field: 'offset' } } });
  });

  it('are filtered by status and kind before they are paged, with or without bodies, and one of them is read with its body', async () => {
    const mixed = await service.createDirectory();
    for (const userName of ['ada', 'bob', 'ada', 'bob']) await mixed.scim('POST', '/Users', { userName });
    await mixed.scim('GET', '/Users');
    await recordOf(await mixed.scim('GET', '/Users/none'), mixed);
    const outline = async (query: string) =>
      (await read(mixed.id, query)).body.data.map(({ method, status }: { method: string; status: number }) => `${method} ${status}`);
    expect(await outline('?status=failed')).toEqual(['GET 404', 'POST 409', 'POST 409']);
    expect(await outline('?status=succeeded&writes=true')).toEqual(['POST 201', 'POST 201']);
    expect(await outline('?writes=true&status=failed&limit=1&offset=1')).toEqual(['POST 409']);
    const first = (await read(mixed.id, '?status=failed&limit=2')).body;
    expect(await outline(`?status=failed&limit=2&cursor=${first.next_cursor}`)).toEqual(['POST 409']);
    expect((await read(mixed.id, `?limit=2&cursor=${first.next_cursor}`)).status).toBe(400);
    for (const wrong of ['status=409', 'writes=yes', 'include_body=0']) expect((await read(mixed.id, `?${wrong}`)).status).toBe(400);

    const [withBody] = (await read(mixed.id, '?status=failed&writes=true')).body.data;
    const [without] = (await read(mixed.id, '?status=failed&writes=true&include_body=false')).body.data;
    expect(withBody.body).toBe('{"userName":"bob"}');
    expect(without).toEqual({ ...withBody, body: null });
    const one = ({ id }: TestDirectory, requestId: string) => service.api('GET', `/api/v1/directory-sync/${id}/requests/${requestId}`);
    expect((await one(mixed, without.id)).body).toEqual({ data: withBody, error: null });
    for (const [of, requestId] of [
      [directory, without.id],
      [mixed, randomUUID()],
      [mixed, 'x'],
    ] as const)
      expect(await one(of, requestId)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  });

  it('belong to one directory, and are deleted with it', async () => {
    const [mine, other] = await Promise.all([service.createDirectory(), service.createDirectory()]);
    await Promise.all([mine, other].map(async (one) => recordOf(await one.scim('GET', '/Users'), one)));
    expect((await read(mine.id)).body.data).toHaveLength(1);
    await service.api('DELETE', `/api/v1/directory-sync/${mine.id}`);
    expect(await read(mine.id)).toMatchObject({ status: 404, body: { data: null } });
    expect((await read(other.id)).body.data).toHaveLength(1);
  });

  it('require an API key and an existing directory', async () => {
    const path = `/api/v1/directory-sync/${directory.id}/scim-requests`;
    for (const authorization of ['', 'Api-Key wrong', `Bearer ${directory.secret}`])
      expect(await service.api('GET', path, undefined, { authorization })).toMatchObject({ status: 401, body: { data: null } });
    for (const id of [randomUUID(), 'x']) expect(await read(id)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  });

  it('do not include requests without valid credentials', async () => {
    const quiet = await service.createDirectory();
    for (const authorization of ['', 'Bearer wrong', `Bearer ${directory.secret}`])
      expect((await quiet.scim('POST', '/Users', ada, { authorization })).status).toBe(401);
    await recordOf(await quiet.scim('GET', '/Users'), quiet);
    expect((await read(quiet.id)).body.data).toHaveLength(1);
  });
});

it('does not affect requests while recording fails, and resumes', async () => {
  const warnings = () => service.logs.filter(({ msg }) => msg === 'could not store recorded requests');
  await service.db.raw('alter table scim_requests rename to elsewhere');
  try {
    expect((await directory.scim('POST', '/Users', { userName: 'unrecorded' })).status).toBe(201);
    await until(() => warnings().length === 1);
    expect((await directory.scim('GET', '/Users')).status).toBe(200);
  } finally {
    await service.db.raw('alter table elsewhere rename to scim_requests');
  }
  const again = await recordOf(await directory.scim('GET', '/Users?count=7'));
  expect(again.path).toBe('/Users?count=7');
  expect(warnings()).toEqual([expect.objectContaining({ level: 40 })]);
});
