import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { askForToken, basic, createClient, getToken, ofClient, readUsers, type TestClient, tokenPath } from '../support/oauth-clients.ts';
import { request, shareTestService, type ServiceResponse, type TestDirectory, type TestService } from '../support/service.ts';

let service: TestService;
let directory: TestDirectory;
let other: TestDirectory;
let client: TestClient;
beforeAll(async () => {
  service = await shareTestService();
  directory = await service.createDirectory();
  other = await service.createDirectory();
  client = await createClient(service, directory.id);
});
afterAll(() => service.stop());

const grant = { grant_type: 'client_credentials' };
const shown = ({ status, body, headers }: ServiceResponse) => ({ status, body, authenticate: headers.get('www-authenticate') });

it.each<[string, () => Promise<ServiceResponse>]>([
  ['in the body', () => askForToken(service, ofClient(client))],
  ['by HTTP Basic', () => askForToken(service, grant, { authorization: basic(client.id, client.secret) })],
  [
    'by HTTP Basic, with its ID in the body too',
    () => askForToken(service, { ...grant, client_id: client.id }, { authorization: basic(client.id, client.secret) }),
  ],
  [
    'by HTTP Basic, form-encoded',
    () => askForToken(service, grant, { authorization: basic(client.id.replaceAll('-', '%2D'), client.secret) }),
  ],
  ['with a scope', () => askForToken(service, { ...ofClient(client), scope: 'scim' })],
])('issues an access token for credentials %s', async (_title, ask) => {
  const { status, headers, body } = await ask();
  expect([status, headers.get('cache-control'), headers.get('pragma')]).toEqual([200, 'no-store', 'no-cache']);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(body).toEqual({ access_token: expect.stringMatching(/^rct_[\w-]{43}$/), token_type: 'Bearer', expires_in: 3_600, scope: 'scim' });
  expect((await readUsers(service, directory.id, `Bearer ${body.access_token}`)).status).toBe(200);
});

it('accepts a token beside the secret, for changes too', async () => {
  const token = await getToken(service, client);
  const authorization = `Bearer ${token}`;
  const created = await directory.scim('POST', '/Users', { userName: 'ada@acme.example' }, { authorization });
  expect(created.status).toBe(201);
  expect((await directory.scim('GET', `/Users/${created.body.id}`)).status).toBe(200);
});

it('gives the token of another directory, an expired one and a wrong secret the same response', async () => {
  const token = await getToken(service, client);
  const ended = await getToken(service, client);
  const { hashCredential } = await import('../../src/directory/scim-clients/credentials.ts');
  await service
    .db('scim_access_tokens')
    .where({ hash: hashCredential(ended) })
    .update({ expires_at: new Date() });
  const nobody = '00000000-0000-7000-8000-000000000000';
  const responses = [
    await readUsers(service, other.id, 'Bearer wrong'),
    await readUsers(service, other.id, `Bearer ${token}`),
    await readUsers(service, nobody, `Bearer ${token}`),
    await readUsers(service, nobody, 'Bearer wrong'),
    await readUsers(service, directory.id, `Bearer ${ended}`),
    await readUsers(service, directory.id, `Bearer rct_${'a'.repeat(43)}`),
    await readUsers(service, directory.id, `Bearer ${client.secret}`),
  ].map(shown);
  expect(responses).toEqual(responses.map(() => responses[0]));
  expect(responses[0]).toMatchObject({ status: 401, authenticate: 'Bearer' });
  expect((await readUsers(service, directory.id, `Bearer ${token}`)).status).toBe(200);
});

it('refuses HTTP Basic at SCIM addresses, and a token in any other scheme', async () => {
  const token = await getToken(service, client);
  for (const authorization of [basic(client.id, client.secret), basic(client.id, token), basic('', token), `Basic ${token}`, token])
    expect((await readUsers(service, directory.id, authorization)).status).toBe(401);
});

it('tells a client of another directory, a wrong secret and no client apart in nothing', async () => {
  const foreign = await createClient(service, other.id);
  const revoked = await createClient(service, directory.id);
  await service.api('DELETE', revoked.path);
  const expired = await createClient(service, directory.id);
  await service.db('scim_clients').where({ id: expired.id }).update({ expires_at: new Date() });
  const credentials = [
    { id: client.id, secret: 'wrong' },
    { id: client.id, secret: '' },
    { id: client.id, secret: foreign.secret },
    { id: '00000000-0000-7000-8000-000000000000', secret: client.secret },
    { id: 'x', secret: client.secret },
    { id: directory.id, secret: directory.secret },
    revoked,
    expired,
  ];
  for (const [ask, authenticate] of [
    [(given: Pick<TestClient, 'id' | 'secret'>) => askForToken(service, ofClient(given)), null],
    [
      (given: Pick<TestClient, 'id' | 'secret'>) => askForToken(service, grant, { authorization: basic(given.id, given.secret) }),
      'Basic realm="Rollcall"',
    ],
  ] as const) {
    const responses: ReturnType<typeof shown>[] = [];
    for (const given of credentials) responses.push(shown(await ask(given)));
    expect(responses).toEqual(responses.map(() => responses[0]));
    expect(responses[0]).toMatchObject({ status: 401, authenticate, body: { error: 'invalid_client' } });
  }
});

it.each<[string, number, string, () => Promise<ServiceResponse>]>([
  ['no grant', 400, 'invalid_request', () => askForToken(service, { client_id: client.id, client_secret: client.secret })],
  ['an empty grant', 400, 'invalid_request', () => askForToken(service, { ...ofClient(client), grant_type: '' })],
  ['another grant', 400, 'unsupported_grant_type', () => askForToken(service, { ...ofClient(client), grant_type: 'password' })],
  [
    'a repeated parameter',
    400,
    'invalid_request',
    () => askForToken(service, `${new URLSearchParams(ofClient(client)).toString()}&client_id=x`),
  ],
  [
    'credentials in both places',
    400,
    'invalid_request',
    () => askForToken(service, ofClient(client), { authorization: basic(client.id, client.secret) }),
  ],
  [
    'two different clients',
    400,
    'invalid_request',
    () => askForToken(service, { ...grant, client_id: 'x' }, { authorization: basic(client.id, client.secret) }),
  ],
  ['JSON', 400, 'invalid_request', () => askForToken(service, JSON.stringify(ofClient(client)), { 'content-type': 'application/json' })],
  ['a compressed body', 400, 'invalid_request', () => askForToken(service, ofClient(client), { 'content-encoding': 'gzip' })],
  ['a large body', 413, 'invalid_request', () => askForToken(service, { ...ofClient(client), scope: 'a'.repeat(9_000) })],
  ['another scheme', 401, 'invalid_client', () => askForToken(service, grant, { authorization: `Bearer ${client.secret}` })],
  ['Basic that is not base64', 401, 'invalid_client', () => askForToken(service, grant, { authorization: 'Basic %%%' })],
  ['Basic with a broken escape', 401, 'invalid_client', () => askForToken(service, grant, { authorization: basic('%', '%') })],
  ['an empty form', 400, 'invalid_request', () => askForToken(service, '')],
  ['GET', 405, 'invalid_request', () => request(`${service.baseUrl}${tokenPath}`, 'GET', undefined, {})],
])('rejects %s as RFC 6749 says', async (_title, status, error, ask) => {
  const response = await ask();
  expect([response.status, response.body.error, Object.keys(response.body).sort()]).toEqual([
    status,
    error,
    ['error', 'error_description'],
  ]);
  expect([response.headers.get('cache-control'), response.headers.get('pragma')]).toEqual(['no-store', 'no-cache']);
  expect(response.body.error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
});

it('rejects the client assertions of workload identity federation, even with a secret', async () => {
  const assertion = { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer', client_assertion: 'a.b.c' };
  for (const form of [
    { ...grant, client_id: client.id, ...assertion },
    { ...ofClient(client), ...assertion },
  ]) {
    const { status, body } = await askForToken(service, form);
    expect([status, body]).toEqual([
      400,
      {
        error: 'invalid_request',
        error_description: 'Client assertions, which workload identity federation uses, are not supported: send a client secret.',
      },
    ]);
  }
});

it('keeps the newest twenty tokens of a client, and of others all', async () => {
  const [eager, quiet] = [await createClient(service, directory.id), await createClient(service, directory.id)];
  const kept = await getToken(service, quiet);
  const tokens: string[] = [];
  for (let count = 0; count < 21; count += 1) tokens.push(await getToken(service, eager));
  const statusOf = async (token: string) => (await readUsers(service, directory.id, `Bearer ${token}`)).status;
  expect(await Promise.all([tokens[0]!, tokens[1]!, tokens[20]!, kept].map(statusOf))).toEqual([401, 200, 200, 200]);
});

it('responds with 403 to a token of a deactivated directory, as to its secret', async () => {
  const asleep = await service.createDirectory();
  const token = await getToken(service, await createClient(service, asleep.id));
  await service.api('PATCH', `/api/v1/directory-sync/${asleep.id}`, { deactivated: true });
  expect((await readUsers(service, asleep.id, `Bearer ${token}`)).status).toBe(403);
});

it('deletes clients and tokens with their directory', async () => {
  const gone = await service.createDirectory();
  const ofGone = await createClient(service, gone.id);
  const token = await getToken(service, ofGone);
  await service.api('DELETE', `/api/v1/directory-sync/${gone.id}`);
  expect((await readUsers(service, gone.id, `Bearer ${token}`)).status).toBe(401);
  expect((await askForToken(service, ofClient(ofGone))).status).toBe(401);
});

it('names the token endpoint in the capabilities', async () => {
  const { body } = await directory.scim('GET', '/ServiceProviderConfig');
  expect(body.authenticationSchemes.map(({ type, primary }: { type: string; primary: boolean }) => [type, primary])).toEqual([
    ['oauthbearertoken', true],
    ['oauth2', false],
  ]);
  expect(body.authenticationSchemes[1].description).toContain(tokenPath);
});
