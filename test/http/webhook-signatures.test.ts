import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { createOperated, root } from '../support/operate.ts';
import { startReceiver, type Received, type Receiver } from '../support/receiver.ts';
import { apiKey, shareTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const createDirectory = (fields?: Record<string, unknown>) => createOperated(service, receiver, fields);

const verifies = (secret: string, { text, headers }: Received) => {
  try {
    new Webhook(secret).verify(text, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
};

describe('rotating the secret', () => {
  it('signs with both secrets until the old one expires, the new one first', async () => {
    const { directory, post, push, patch, state } = await createDirectory();
    const { status, body } = await post('/webhook/secret/rotate');
    expect([status, body.data]).toEqual([
      200,
      { secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/), previous_valid_until: expect.any(String) },
    ]);
    expect((Date.parse(body.data.previous_valid_until) - Date.now()) / 3_600_000).toBeCloseTo(24, 1);
    await push('a');
    await until(() => receiver.received.length === 1);
    const [a] = receiver.received;
    const signatures = (a!.headers['webhook-signature'] as string).split(' ');
    expect([signatures.length, verifies(directory.webhookSecret, a!), verifies(body.data.secret, a!)]).toEqual([2, true, true]);
    const withFirst = { ...a!, headers: { ...a!.headers, 'webhook-signature': signatures[0] } };
    expect([verifies(body.data.secret, withFirst), verifies(directory.webhookSecret, withFirst)]).toEqual([true, false]);
    expect((await service.api('GET', `${root}/${directory.id}`)).body.data.webhook.secret).toBe(body.data.secret);

    // The overlap survives a new address, and an update with the values that were read.
    await patch({ webhook_url: receiver.url });
    await patch((await service.api('GET', `${root}/${directory.id}`)).body.data);
    expect((await state()).secrets).toMatchObject([{ expires_at: null }, { expires_at: body.data.previous_valid_until }]);

    await service.db('webhook_secrets').where({ directory_id: directory.id }).whereNotNull('expires_at').update({ expires_at: new Date() });
    await push('b');
    await until(() => receiver.received.length === 2);
    expect([verifies(directory.webhookSecret, receiver.received[1]!), verifies(body.data.secret, receiver.received[1]!)]).toEqual([
      false,
      true,
    ]);
    expect((await state()).secrets).toHaveLength(1);
  });

  it('accepts a secret and an overlap; with an overlap of 0 the old secret ends immediately', async () => {
    const { directory, post, push, state } = await createDirectory();
    const { body } = await post('/webhook/secret/rotate', { secret: 'a secret of ours', overlap_seconds: 0 });
    expect(body.data).toEqual({ secret: 'a secret of ours', previous_valid_until: null });
    expect((await state()).secrets).toHaveLength(1);
    await push('a');
    await until(() => receiver.received.length === 1);
    expect(verifies(directory.webhookSecret, receiver.received[0]!)).toBe(false);
    expect(verifies(Buffer.from('a secret of ours').toString('base64'), receiver.received[0]!)).toBe(true);
  });

  it('keeps at most five, and replaces all when the directory gets another secret', async () => {
    const { post, patch, state } = await createDirectory();
    await Promise.all(Array.from({ length: 6 }, () => post('/webhook/secret/rotate', { overlap_seconds: 604_800 })));
    const { secrets } = await state();
    expect(secrets).toHaveLength(5);
    expect(secrets.filter(({ expires_at: at }: { expires_at: string | null }) => at === null)).toHaveLength(1);
    await patch({ webhook_secret: 'another' });
    expect((await state()).secrets).toMatchObject([{ expires_at: null }]);
  });

  it.each([
    [{ overlap_seconds: -1 }, 'overlap_seconds'],
    [{ overlap_seconds: 604_801 }, 'overlap_seconds'],
    [{ overlap_seconds: '60' }, 'overlap_seconds'],
    [{ overlap_second: 60 }, 'overlap_second'],
    [{ secret: '' }, 'secret'],
    [{ secret: 'x'.repeat(501) }, 'secret'],
    [{ secret: 'the one there is' }, 'secret'],
  ])('rejects %j', async (request, field) => {
    const { post, state } = await createDirectory({ webhook_secret: 'the one there is' });
    const { status, body } = await post('/webhook/secret/rotate', request);
    expect([status, body.error.field]).toEqual([400, field]);
    expect((await state()).secrets).toHaveLength(1);
  });

  it('requires a webhook', async () => {
    const { post } = await createDirectory({ webhook_url: undefined });
    expect((await post('/webhook/secret/rotate')).status).toBe(400);
  });
});

const polisSignature = expect.stringMatching(/^t=\d{13},s=[0-9a-f]{64}$/);

it('also signs as Polis does, unless the directory is set otherwise', async () => {
  const { directory, push, patch, state } = await createDirectory({ webhook_secret: 'a secret from Polis' });
  const read = async () => (await service.api('GET', `${root}/${directory.id}`)).body.data;
  expect(await read()).not.toHaveProperty('webhook_legacy_signatures');
  expect(await state()).toMatchObject({ legacy_signatures: true });
  await push('a');
  await until(() => receiver.received.length === 1);
  const [{ headers, text }] = receiver.received as [Received];
  expect(headers).toMatchObject({ 'boxyhq-signature': polisSignature, 'ory-polis-signature': polisSignature });
  const [, time, signature] = /^t=(\d+),s=(.*)$/.exec(headers['boxyhq-signature'] as string)!;
  expect(signature).toBe(createHmac('sha256', 'a secret from Polis').update(`${time}.${text}`).digest('hex'));

  await patch({ webhook_legacy_signatures: false });
  expect(await read()).toMatchObject({ webhook_legacy_signatures: false });
  expect(await state()).toMatchObject({ legacy_signatures: false });
  await push('b');
  await until(() => receiver.received.length === 2);
  expect(receiver.received[1]!.headers).not.toHaveProperty('boxyhq-signature');
  expect(receiver.received[1]!.headers).toHaveProperty('webhook-signature');

  await patch({ webhook_legacy_signatures: null });
  expect(await state()).toMatchObject({ legacy_signatures: true });
  expect((await patch({ webhook_legacy_signatures: 'perhaps' })).body.error.field).toBe('webhook_legacy_signatures');
});

it('signs as Polis does only where a directory asks for it, with WEBHOOK_LEGACY_SIGNATURES=false', async () => {
  const { directory, patch, state, push } = await createDirectory();
  const another = await service.startAnother({ WEBHOOK_LEGACY_SIGNATURES: 'false' });
  try {
    const shown = async (): Promise<boolean> => {
      const response = await fetch(`${another.baseUrl}${root}/${directory.id}/delivery`, {
        headers: { authorization: `Api-Key ${apiKey}` },
      });
      return ((await response.json()) as { data: { legacy_signatures: boolean } }).data.legacy_signatures;
    };
    expect([await shown(), (await state()).legacy_signatures]).toEqual([false, true]);
    const test = await fetch(`${another.baseUrl}${root}/${directory.id}/webhook/test`, {
      method: 'POST',
      headers: { authorization: `Api-Key ${apiKey}` },
    });
    expect(test.status).toBe(200);
    expect(receiver.received[0]!.headers).not.toHaveProperty('boxyhq-signature');
    await patch({ webhook_legacy_signatures: true });
    expect(await shown()).toBe(true);
    await push('a');
    await until(() => receiver.received.length === 2);
    expect(receiver.received[1]!.headers).toMatchObject({ 'boxyhq-signature': polisSignature });
  } finally {
    await another.stop();
  }
});
