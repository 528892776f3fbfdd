import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { askForToken, basic, clientsPath, createClient, ofClient, type TestClient } from '../support/oauth-clients.ts';
import { root } from '../support/operate.ts';
import { shareTestService, type TestDirectory, type TestService } from '../support/service.ts';

/** The error messages about OAuth clients and their tokens. */

let service: TestService;
let directory: TestDirectory;
let client: TestClient;
beforeAll(async () => {
  service = await shareTestService();
  directory = await service.createDirectory();
  client = await createClient(service, directory.id);
});
afterAll(() => service.stop());

const byBasic = () => ({ authorization: basic(client.id, client.secret) });

it.each<[message: string, ask: () => ReturnType<typeof askForToken>]>([
  [
    'Unknown OAuth client or invalid secret. Clients that have expired or are revoked get no access token.',
    () => askForToken(service, { ...ofClient(client), client_secret: 'wrong' }),
  ],
  ['grant_type is required: it must be client_credentials.', () => askForToken(service, '')],
  ['The only supported grant_type is client_credentials.', () => askForToken(service, { grant_type: 'password' })],
  ['grant_type must be given once.', () => askForToken(service, 'grant_type=a&grant_type=b')],
  [
    'Send the client credentials either in the Authorization header or in the body.',
    () => askForToken(service, ofClient(client), byBasic()),
  ],
  [
    'Client assertions, which workload identity federation uses, are not supported: send a client secret.',
    () => askForToken(service, { ...ofClient(client), client_assertion: 'a.b.c' }),
  ],
  ['The body must be application/x-www-form-urlencoded.', () => askForToken(service, '{}', { 'content-type': 'application/json' })],
  ['The body must not be compressed.', () => askForToken(service, '', { 'content-encoding': 'br' })],
  ['The body is larger than 8192 bytes (fixed limit).', () => askForToken(service, 'a'.repeat(8_193))],
])('the token endpoint says: %s', async (message, ask) => {
  expect((await ask()).body.error_description).toBe(message);
});

const inYears = (years: number) => new Date(Date.now() + years * 366 * 86_400_000).toISOString();

it.each<[message: string, send: () => Promise<{ body: { error: { message: string } } }>]>([
  ['There is no OAuth client with this ID.', () => service.api('GET', `${clientsPath(directory.id)}/x`)],
  ['There is no directory with this ID.', () => service.api('GET', clientsPath('x'))],
  ['Unknown field secret.', () => service.api('POST', clientsPath(directory.id), { name: 'a', secret: 'b' })],
  [
    'expires_at may be at most three years from now.',
    () => service.api('POST', clientsPath(directory.id), { name: 'a', expires_at: inYears(4) }),
  ],
  [
    'This OAuth client is revoked: create another one.',
    async () => {
      const revoked = await createClient(service, directory.id);
      await service.api('DELETE', revoked.path);
      return service.api('PATCH', revoked.path, { name: 'b' });
    },
  ],
  [
    'This directory is pulled: it receives no pushes, so it has no OAuth clients.',
    async () => service.api('POST', clientsPath((await createPulled()).id), { name: 'a' }),
  ],
  [
    'accept_scim_secret is for directories that receive pushes only.',
    async () => service.api('PATCH', `${root}/${(await createPulled()).id}`, { accept_scim_secret: false }),
  ],
  [
    'A directory may have at most 10 active OAuth clients (fixed limit): revoke one first.',
    async () => {
      const { id } = await service.createDirectory();
      for (let count = 0; count < 10; count += 1) await createClient(service, id);
      return service.api('POST', clientsPath(id), { name: 'a' });
    },
  ],
])('the JSON API says: %s', async (message, send) => {
  expect((await send()).body.error.message).toBe(message);
});

const createPulled = () => service.createDirectory({ type: 'google' });

it('a directory that rejects every push is warned of', async () => {
  const { body } = await service.api('POST', root, { tenant: 'acme', product: 'app', accept_scim_secret: false });
  expect(body.data.warnings[0].message).toBe(
    'accept_scim_secret is false and there is no active OAuth client: every push is rejected. Create one, or set accept_scim_secret to true.',
  );
});
