import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { createSignatureHeaders } from '../../src/webhooks/sign.ts';

const id = 'msg_1';
const body = '{"event":"user.created","name":"Zoë"}';
const generated = `whsec_${randomBytes(32).toString('base64')}`;

it('is verified by the public library, with a generated secret', () => {
  const headers = createSignatureHeaders({ id, body, secrets: [generated], atMs: Date.now() });
  expect(new Webhook(generated).verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => new Webhook(generated).verify(`${body} `, headers)).toThrow(/No matching signature/);
});

it('uses any other string as the key itself', () => {
  for (const secret of ['shared', 'whsec_not base64!', 'whsec_A', 'ключ']) {
    const headers = createSignatureHeaders({ id, body, secrets: [secret], atMs: Date.now() });
    expect(new Webhook(Buffer.from(secret), { format: 'raw' } as never).verify(body, headers)).toEqual(JSON.parse(body));
  }
});

it('signs with every valid secret, and each receiver finds its own', () => {
  const other = `whsec_${randomBytes(32).toString('base64')}`;
  const headers = createSignatureHeaders({ id, body, secrets: [generated, other], atMs: Date.now() });
  for (const secret of [generated, other]) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
});

it('uses the time in whole seconds, and is rejected by a receiver when it is old', () => {
  const headers = createSignatureHeaders({ id, body, secrets: [generated], atMs: 1_700_000_000_900 });
  expect(headers['webhook-timestamp']).toBe('1700000000');
  expect(() => new Webhook(generated).verify(body, headers)).toThrow(/too old/);
});
