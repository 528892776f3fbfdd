import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { createDocument } from '../../src/http/openapi/create-document.ts';
import { createOperated } from '../support/operate.ts';
import type { Received } from '../support/receiver.ts';
import { useReceiver } from '../support/use-receiver.ts';
import { shareTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const document = createDocument({ baseUrl: 'https://sync.example', version: 'test', limiting: false });
const { parameters = [], requestBody } = document.webhooks['directoryEvents']!.post;
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema(document, 'description');
const pointer = '#/webhooks/directoryEvents/post/requestBody/content/application~1json/schema';
const isBody = ajv.compile({ $ref: `description${pointer}` });

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());
const receiver = useReceiver();

/** Rollcall's headers, and those that do not match the document. */
function checkHeaders({ headers }: Received): { wrong: unknown[]; names: string[] } {
  const ours = Object.keys(headers).filter((name) => /^webhook-|signature$/.test(name));
  const described = parameters.map(({ name, required, schema }) => ({ name: name.toLowerCase(), required, schema }));
  return {
    wrong: [
      ...ours.filter((name) => !described.some((one) => one.name === name)),
      ...described.filter(({ name, required }) => required && headers[name] === undefined),
      ...described.filter(({ name, schema }) => headers[name] !== undefined && !ajv.validate(schema, headers[name])),
    ],
    names: ours.sort(),
  };
}

it('describes every webhook, including replays and tests', async () => {
  const { push, post, replay, directory } = await createOperated(service, receiver, { webhook_legacy_signatures: true });
  await push('ada');
  const group = { displayName: 'Engineers', members: [] };
  expect((await directory.scim('POST', '/Groups', group)).status).toBe(201);
  await until(() => receiver.received.length === 2);
  await replay({ mode: 'single', sequence: 1 });
  await until(() => receiver.received.length === 3);
  expect((await post('/webhook/test')).status).toBe(200);
  const { received } = receiver;
  expect(received.map(({ event }) => event.event)).toEqual(['user.created', 'group.created', 'user.created', 'webhook.test']);
  expect(received.filter(({ event }) => !isBody(event) || !isBody([event]))).toEqual([]);
  const checked = received.map(checkHeaders);
  expect(checked.flatMap(({ wrong }) => wrong)).toEqual([]);
  expect([...new Set(checked.flatMap(({ names }) => names))].sort()).toEqual(parameters.map(({ name }) => name.toLowerCase()).sort());
});

it('does not accept anything else as a webhook', () => {
  expect(requestBody!.required).toBe(true);
  expect([{}, { event: 'user.created' }, [{ event: 'webhook.test' }], null].filter((body) => isBody(body))).toEqual([]);
});
