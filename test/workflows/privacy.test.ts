import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client } from '@temporalio/client';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let receiver: Receiver;
let directory: TestDirectory;
const person = { userName: 'ada@hidden.example', name: { givenName: 'Adahidden', familyName: 'Lovehidden' }, externalId: 'ext-hidden' };
beforeAll(async () => {
  [service, receiver] = await Promise.all([startTestService(), startReceiver()]);
  directory = await service.createDirectory({ webhook_url: `${receiver.url}?key=hidden-address`, webhook_secret: 'hidden webhook secret' });
  await directory.scim('POST', '/Users', person);
  await directory.scim('POST', '/Users', person);
  await until(() => receiver.received.length === 1);
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

it("leaves nothing of a person or a secret in clear in Temporal's store", async () => {
  const raw = new Client({ connection: service.client.connection, namespace: service.client.options.namespace });
  await until(async () => (await raw.workflow.count(`DirectoryIds = '${directory.id}'`)).count === 3);
  const kinds = new Set<string>();
  for await (const { workflowId, type } of raw.workflow.list({ query: `DirectoryIds = '${directory.id}'` })) {
    kinds.add(type);
    const { events } = await raw.workflow.getHandle(workflowId).fetchHistory();
    const text = [JSON.stringify(events), ...bytesIn(events)].join('\n');
    expect(text).not.toMatch(/hidden/i);
    expect(text).toContain('binary/rollcall-sealed');
  }
  expect([...kinds].sort()).toEqual(['eventDelivery', 'mutationGroup']);
});

it('leaves a changed user out of the result of its workflow', async () => {
  const { body: user } = await directory.scim('GET', '/Users?filter=userName eq "ada@hidden.example"');
  const Operations = [{ op: 'replace', path: 'displayName', value: 'hidden' }];
  const { body: patched } = await directory.scim('PATCH', `/Users/${user.Resources[0].id}`, { Operations });
  expect(patched.displayName).toBe('hidden');
  const query = `DirectoryIds = '${directory.id}' and WorkflowType = 'mutationGroup'`;
  const results: unknown[] = [];
  for await (const { workflowId } of service.client.workflow.list({ query }))
    results.push(await service.client.workflow.getHandle(workflowId).result());
  expect(JSON.stringify(results)).toContain(user.Resources[0].id);
  expect(JSON.stringify(results)).not.toMatch(/hidden/i);
});

it('leaves no secret in clear in Postgres', async () => {
  await service.api('POST', '/api/v1/directory-sync', {
    tenant: 'a',
    product: 'b',
    type: 'google',
    google_access_token: 'hidden access token',
    google_refresh_token: 'hidden refresh token',
  });
  for (const table of ['directories', 'webhook_secrets', 'webhook_endpoints', 'mutations', 'webhook_batches', 'webhook_attempts']) {
    const text = JSON.stringify(await service.db(table));
    expect(text).not.toMatch(/hidden.(webhook|address|access|refresh)/);
    expect(text).not.toContain(directory.secret);
  }
  expect((await service.db('webhook_secrets')).length).toBe(1);
});

it('stores no personal data in outcomes', async () => {
  expect(JSON.stringify(await service.db('mutations'))).not.toMatch(/hidden/i);
});

/** All byte arrays in the history as text: payloads are bytes. */
function bytesIn(value: unknown): string[] {
  if (value instanceof Uint8Array || Buffer.isBuffer(value)) return [Buffer.from(value as Uint8Array).toString()];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(bytesIn);
}
