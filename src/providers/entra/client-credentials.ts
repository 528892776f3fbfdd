import { constants, createHash, createPrivateKey, randomUUID, sign, X509Certificate } from 'node:crypto';
import { StartupError } from '../../errors.ts';

/** How the application proves to Microsoft who it is. */
export interface ClientCredential {
  /** The setting that an operator must look at if Microsoft rejects it. */
  setting: string;
  /** A certificate; a secret does not know when it expires. */
  expiresAt?: Date;
  /** The fields of a request to this token endpoint. */
  fields(clientId: string, tokenUrl: string, nowMs: number): Record<string, string>;
}

export const createSecretCredential = (secret: string): ClientCredential => ({
  setting: 'DSYNC_ENTRA_CLIENT_SECRET',
  fields: () => ({ client_secret: secret }),
});

/** An assertion is used once and immediately; the rest is for clocks that differ. */
const assertionSeconds = 300;

/** Signs an assertion for each request, as RFC 7523 defines it. Throws if the PEM lacks a part. */
export function createCertificateCredential(pem: string): ClientCredential {
  const { certificate, key } = readPem(pem);
  const header = {
    alg: 'PS256',
    typ: 'JWT',
    'x5t#S256': createHash('sha256').update(certificate.raw).digest('base64url'),
  };
  return {
    setting: 'DSYNC_ENTRA_CERTIFICATE_FILE',
    expiresAt: expiryOf(certificate),
    fields(clientId, tokenUrl, nowMs) {
      const now = Math.floor(nowMs / 1_000);
      const claims = {
        aud: tokenUrl,
        iss: clientId,
        sub: clientId,
        jti: randomUUID(),
        iat: now,
        nbf: now - 60,
        exp: now + assertionSeconds,
      };
      const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
      const signature = sign('sha256', Buffer.from(signed), {
        key,
        padding: constants.RSA_PKCS1_PSS_PADDING,
        saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
      });
      return {
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: `${signed}.${signature.toString('base64url')}`,
      };
    },
  };
}

const expiryOf = ({ validTo }: X509Certificate) => new Date(validTo);

const warnedBeforeMs = 30 * 86_400_000;

/** When the certificate of this file expires, if that is soon. It may have expired already. */
export function findExpiry(pem: string, nowMs = Date.now()): Date | undefined {
  const expiresAt = expiryOf(readPem(pem).certificate);
  return expiresAt.getTime() - nowMs < warnedBeforeMs ? expiresAt : undefined;
}

const invalid = (problem: string) => new StartupError(`DSYNC_ENTRA_CERTIFICATE_FILE ${problem}.`);

function readPem(pem: string) {
  const certificate = attempt(() => new X509Certificate(pem));
  if (!certificate) throw invalid('must contain a certificate in PEM (BEGIN CERTIFICATE)');
  const key = attempt(() => createPrivateKey(pem));
  if (!key) throw invalid('must contain the private key of the certificate in PEM, not encrypted (BEGIN PRIVATE KEY)');
  if (key.asymmetricKeyType !== 'rsa') throw invalid('must have an RSA key: Microsoft Entra accepts no other');
  if (!certificate.checkPrivateKey(key)) throw invalid('contains a private key that does not belong to its certificate');
  return { certificate, key };
}

function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
