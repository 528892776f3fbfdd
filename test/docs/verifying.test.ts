import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { packageRoot } from '../../src/paths.ts';
import { createLegacySignatureHeaders, createSignatureHeaders, type SignedContent } from '../../src/webhooks/sign.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { baseEnv } from './child-program.ts';
import { readBlocks } from './fenced-blocks.ts';
import { buildReceiver, programUnder, receiversHere, receiversMissing, startExpectingFailure, startReceiverProgram } from './receivers.ts';

const page = 'docs/guides/verifying-webhooks.md';
const body = JSON.stringify({ event: 'user.created', data: { first_name: 'Zoë' }, sequence: 1 });
const secret = `whsec_${randomBytes(32).toString('base64')}`;
const others = `whsec_${randomBytes(32).toString('base64')}`;
/** Base64 without padding, too few bytes for a key, and another form. */
const secretsOfOtherForms = ['whsec_MDEyMzQ1Njc4OWFiY2RlZjA', 'whsec_c2hvcnQ=', 'a secret of öur own'];

const sign = (about: Partial<SignedContent> = {}) =>
  createSignatureHeaders({ id: `msg_${randomBytes(6).toString('hex')}`, body, secrets: [secret], atMs: Date.now(), ...about });
const without = (name: string) => Object.fromEntries(Object.entries(sign()).filter(([header]) => header !== name));
/** With the empty key, a receiver would accept forged webhooks. */
const withoutSecret: [string, Record<string, string>][] = [
  ['is empty', { ROLLCALL_WEBHOOK_SECRET: '' }],
  ['is not set', {}],
];
const missingSecret = 'ROLLCALL_WEBHOOK_SECRET is missing or empty: set it to webhook.secret of the directory.';
const minutes = (count: number) => Date.now() + count * 60_000;

interface Delivery {
  headers: Record<string, string>;
  body?: string;
}
/** Functions, because a signature depends on the current time. */
const notGenuine: [string, () => Delivery][] = [
  ['with a changed body', () => ({ headers: sign(), body: body.replace('Zoë', 'Zoe') })],
  ['signed with another secret', () => ({ headers: sign({ secrets: [others] }) })],
  ['that is six minutes old', () => ({ headers: sign({ atMs: minutes(-6) }) })],
  ['with a timestamp six minutes in the future', () => ({ headers: sign({ atMs: minutes(6) }) })],
  [
    'with a replaced timestamp',
    () => ({ headers: { ...sign({ atMs: minutes(-6) }), 'webhook-timestamp': String(Math.floor(Date.now() / 1000)) } }),
  ],
  ['with a replaced id', () => ({ headers: { ...sign(), 'webhook-id': 'msg_made_up' } })],
  ['with an invalid timestamp', () => ({ headers: { ...sign(), 'webhook-timestamp': 'now' } })],
  ['with a truncated signature', () => ({ headers: { ...sign(), 'webhook-signature': sign()['webhook-signature']!.slice(0, -8) } })],
  ['without a signature', () => ({ headers: without('webhook-signature') })],
  ['without a timestamp', () => ({ headers: without('webhook-timestamp') })],
];

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
  symlinkSync(join(packageRoot, 'node_modules'), folder.at('node_modules'));
});
afterAll(async () => folder[Symbol.asyncDispose]());

it(`every program of the page is tested; missing on this machine: ${receiversMissing.join(', ') || 'none'}`, () => {
  const written = readBlocks(page).filter(({ language }) => language !== 'sh');
  expect(written.map(({ heading }) => heading)).toEqual([
    'With a library',
    'Node',
    'Python',
    'Go',
    'Ruby',
    'Java',
    'Shell',
    'Signatures of Ory Polis',
  ]);
});

describe.each(receiversHere.map((language) => [language.heading, language] as const))('the receiver in %s', (_, language) => {
  // The first compilation of an HTTP server is slow.
  beforeAll(() => buildReceiver(language, folder.path), 300_000);

  it('accepts a genuine webhook once', async () => {
    await using receiver = await startReceiverProgram(language, folder.path, secret);
    const headers = sign();
    expect([await receiver.send(headers, body), await receiver.send(headers, body)]).toEqual([204, 204]);
    const batch = `[${body},${body}]`;
    expect(await receiver.send(sign({ body: batch }), batch)).toBe(204);
    // The program may print after it has responded.
    await until(() => receiver.bodies().length >= 2);
    expect(receiver.bodies()).toEqual([body, batch]);
  });

  it('accepts a webhook signed by either of two secrets', async () => {
    await using receiver = await startReceiverProgram(language, folder.path, secret);
    expect(await receiver.send(sign({ secrets: [secret, others] }), body)).toBe(204);
    expect(await receiver.send(sign({ secrets: [others, secret] }), body)).toBe(204);
  });

  it('rejects forged webhooks', async () => {
    await using receiver = await startReceiverProgram(language, folder.path, secret);
    const responses = [];
    for (const [what, make] of notGenuine) {
      const { headers, body: sent = body } = make();
      responses.push([what, await receiver.send(headers, sent)]);
    }
    expect(responses).toEqual(notGenuine.map(([what]) => [what, 401]));
    expect(receiver.bodies()).toEqual([]);
    // It still works.
    expect(await receiver.send(sign(), body)).toBe(204);
  });

  it.each(withoutSecret)('does not start if the variable with the secret %s', async (__, env) => {
    const { status, said } = await startExpectingFailure(language, folder.path, env);
    expect(status).toBe(1);
    expect(said).toContain(missingSecret);
  });

  it.each(secretsOfOtherForms)('reads the secret %s as Rollcall does', async (other) => {
    await using receiver = await startReceiverProgram(language, folder.path, other);
    expect(await receiver.send(sign({ secrets: [other] }), body)).toBe(204);
    expect(await receiver.send(sign(), body)).toBe(401);
  });
});

const argumentsOf = (headers: Record<string, string>) => ['id', 'timestamp', 'signature'].map((name) => headers[`webhook-${name}`] ?? '');
/** Returns the exit code of the script. */
const verify = (headers: Record<string, string>, { sent = body, by = secret } = {}) =>
  spawnSync('bash', ['verify-webhook.sh', ...argumentsOf(headers)], {
    cwd: folder.path,
    input: sent,
    env: { ...baseEnv, ROLLCALL_WEBHOOK_SECRET: by },
  }).status;

describe('the shell script', () => {
  beforeAll(() => writeFileSync(folder.at('verify-webhook.sh'), programUnder('Shell')));

  it('exits with 0 for a genuine webhook and with 2 for a duplicate', () => {
    const headers = sign();
    expect([verify(headers), verify(headers)]).toEqual([0, 2]);
    expect(verify(sign({ secrets: [secret, others] }))).toBe(0);
    expect(verify(sign({ secrets: [others, secret] }))).toBe(0);
  });

  it.each(notGenuine)('exits with 1 for a webhook %s', (_, make) => {
    const { headers, body: sent = body } = make();
    expect(verify(headers, { sent })).toBe(1);
  });

  it.each(withoutSecret)('exits with 3 if the variable with the secret %s', (_, env) => {
    const forged = sign({ secrets: [''] });
    const { status, stderr } = spawnSync('bash', ['verify-webhook.sh', ...argumentsOf(forged)], {
      cwd: folder.path,
      input: body,
      env: { ...baseEnv, ...env },
    });
    expect({ status, said: stderr.toString().trim() }).toEqual({ status: 3, said: missingSecret });
  });

  it.each(secretsOfOtherForms)('reads the secret %s as Rollcall does', (other) => {
    expect([verify(sign({ secrets: [other] }), { by: other }), verify(sign(), { by: other })]).toEqual([0, 1]);
  });
});

it('the library accepts what Rollcall signs and rejects everything else', () => {
  writeFileSync(folder.at('library.mjs'), programUnder('With a library'));
  writeFileSync(
    folder.at('ask-library.mjs'),
    `import { readWebhook } from './library.mjs';
     const { body, headers } = JSON.parse(process.argv[2]);
     console.log(readWebhook(body, headers).event);`,
  );
  expect(ask('ask-library.mjs', { body, headers: sign({ secrets: [others, secret] }) })).toBe('user.created');
  for (const [, make] of notGenuine) expect(ask('ask-library.mjs', { body, ...make() })).toBeUndefined();
});

it.each(withoutSecret)('the program with the library does not start if the variable with the secret %s', (_, env) => {
  writeFileSync(folder.at('library.mjs'), programUnder('With a library'));
  const { status, stderr } = spawnSync('node', ['library.mjs'], { cwd: folder.path, env: { ...baseEnv, ...env } });
  expect(status).toBe(1);
  expect(stderr.toString()).toContain(missingSecret);
});

const legacyHeader = (secrets: string[], atMs = Date.now()) => createLegacySignatureHeaders({ body, secrets, atMs })['boxyhq-signature'];

it('the function for Ory Polis signatures accepts those of Rollcall', () => {
  writeFileSync(folder.at('legacy.mjs'), programUnder('Signatures of Ory Polis'));
  writeFileSync(
    folder.at('ask-legacy.mjs'),
    `import { isGenuine } from './legacy.mjs';
     const { secret, header, body } = JSON.parse(process.argv[2]);
     console.log(isGenuine(secret, header, body));`,
  );
  const isGenuine = (header: string | undefined, about: object = {}) =>
    ask('ask-legacy.mjs', { secret, header, body, ...about }) === 'true';

  expect(isGenuine(legacyHeader([secret, others]))).toBe(true);
  for (const other of secretsOfOtherForms) expect(isGenuine(legacyHeader([other]), { secret: other })).toBe(true);
  expect(isGenuine(legacyHeader([secret], minutes(-6)))).toBe(false);
  expect(isGenuine(legacyHeader([secret]), { secret: others })).toBe(false);
  expect(isGenuine(legacyHeader([secret]), { body: '{}' })).toBe(false);
  expect(isGenuine(undefined)).toBe(false);
  expect(ask('ask-legacy.mjs', { secret: '', header: legacyHeader(['']), body })).toBeUndefined();
});

/** Returns what the program prints, or undefined if it fails. */
function ask(program: string, given: object): string | undefined {
  const env = { ...baseEnv, ROLLCALL_WEBHOOK_SECRET: secret };
  const { status, stdout } = spawnSync('node', [program, JSON.stringify(given)], { cwd: folder.path, env });
  return status === 0 ? stdout.toString().trim() : undefined;
}
