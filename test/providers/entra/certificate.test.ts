import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createCertificateCredential, findExpiry } from '../../../src/providers/entra/client-credentials.ts';
import type { DirectService } from '../../support/direct-service.ts';
import { createEntraDirectory } from '../../support/entra/entra-directory.ts';
import { type FakeEntra, startFakeEntra } from '../../support/entra/fake-entra.ts';
import { startSyncService } from '../../support/start-with-provider.ts';

/** A certificate for a hundred years and its key, made for this test. */
const file = 'test/support/entra/client-certificate.pem';
const pem = readFileSync(file, 'utf8');
const [certificate, key] = [pem.slice(0, pem.indexOf('-----BEGIN PRIVATE')), pem.slice(pem.indexOf('-----BEGIN PRIVATE'))];

describe('with a certificate', () => {
  let entra: FakeEntra;
  let service: DirectService;
  beforeAll(async () => {
    entra = await startFakeEntra();
    entra.client.certificate = certificate;
    const { DSYNC_ENTRA_CLIENT_SECRET: _, ...settings } = entra.env();
    service = await startSyncService({ ...settings, DSYNC_ENTRA_CERTIFICATE_FILE: file });
  });
  afterAll(async () => {
    await service?.stop();
    await entra?.stop();
  });
  beforeEach(() => {
    entra.client.certificate = certificate;
    entra.revokeTokens();
    entra.addUser();
  });

  it('reads a tenant, with a new assertion for each token', async () => {
    const directory = await createEntraDirectory(service, entra);
    expect((await directory.sync()).state).toBe('succeeded');
    entra.revokeTokens();
    expect((await directory.sync()).state).toBe('succeeded');
    await directory.expectSame();
    const sent = entra.requests.filter(({ path }) => path.endsWith('/token'));
    expect(sent).toHaveLength(2);
    for (const { body } of sent) expect(body).not.toContain('client_secret');
  });

  it('fails a run with a sentence if Microsoft does not know the certificate, and works again without a new consent', async () => {
    const directory = await createEntraDirectory(service, entra);
    entra.state.secretError = '700027';
    expect(await directory.sync()).toMatchObject({
      state: 'failed',
      error: { code: 'provider_rejected', message: expect.stringContaining('DSYNC_ENTRA_CERTIFICATE_FILE') },
    });
    entra.state.secretError = '700024';
    expect(await directory.sync()).toMatchObject({ error: { code: 'provider_rejected', message: expect.stringContaining('clock') } });
    entra.state.secretError = undefined;
    expect((await directory.sync()).state).toBe('succeeded');
  });
});

/** Of 2021. */
const expiredFile = 'test/support/entra/expired-certificate.pem';

it('warns at the start, and fails a run with the date, if the certificate has expired', async () => {
  const entra = await startFakeEntra();
  const { DSYNC_ENTRA_CLIENT_SECRET: _, ...settings } = entra.env();
  const service = await startSyncService({ ...settings, DSYNC_ENTRA_CERTIFICATE_FILE: expiredFile });
  expect(service.logs).toContainEqual(expect.objectContaining({ level: 40, expiresAt: '2021-02-03T04:05:06.000Z' }));
  const directory = await createEntraDirectory(service, entra);
  expect(await directory.sync()).toMatchObject({
    state: 'failed',
    error: { code: 'provider_rejected', message: expect.stringContaining('2021-02-03') },
  });
  expect(entra.requests.filter(({ path }) => path.endsWith('/token'))).toEqual([]);
  await service.stop();
  await entra.stop();
});

const createKey = (type: 'rsa' | 'ec') =>
  (type === 'ec' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('rsa', { modulusLength: 2048 })).privateKey;
const toPem = (privateKey: KeyObject, passphrase?: string) =>
  privateKey.export({ type: 'pkcs8', format: 'pem', ...(passphrase !== undefined && { cipher: 'aes-256-cbc', passphrase }) }).toString();

describe('a certificate file', () => {
  it.each<[string, () => string, string]>([
    ['nothing', () => '', 'must contain a certificate in PEM (BEGIN CERTIFICATE).'],
    ['no certificate', () => key, 'must contain a certificate in PEM (BEGIN CERTIFICATE).'],
    ['no key', () => certificate, 'must contain the private key of the certificate in PEM, not encrypted (BEGIN PRIVATE KEY).'],
    [
      'an encrypted key',
      () => `${certificate}${toPem(createKey('rsa'), 'secret')}`,
      'must contain the private key of the certificate in PEM, not encrypted (BEGIN PRIVATE KEY).',
    ],
    ['a key that is not RSA', () => `${certificate}${toPem(createKey('ec'))}`, 'must have an RSA key: Microsoft Entra accepts no other.'],
    ['another key', () => `${certificate}${toPem(createKey('rsa'))}`, 'contains a private key that does not belong to its certificate.'],
  ])('with %s is a startup error', (_, toContent, problem) => {
    expect(() => createCertificateCredential(toContent())).toThrow(`DSYNC_ENTRA_CERTIFICATE_FILE ${problem}`);
  });

  it('may have the key before the certificate', () => {
    expect(createCertificateCredential(`${key}${certificate}`).fields('id', 'https://login.example', 0)).toHaveProperty('client_assertion');
  });

  it('expires soon within 30 days', () => {
    const expiresAt = new Date('2021-02-03T04:05:06Z');
    const expired = readFileSync(expiredFile, 'utf8');
    expect(findExpiry(expired, expiresAt.getTime() - 30 * 86_400_000)).toBeUndefined();
    expect(findExpiry(expired, expiresAt.getTime() - 30 * 86_400_000 + 1)).toEqual(expiresAt);
  });
});
