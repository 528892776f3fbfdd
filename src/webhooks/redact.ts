import { findQuerySecrets } from '../directory/delivery/webhook-address.ts';

const maxHeaders = 64;
const maxBytes = 8_192;
const maxValueLength = 1_024;
const redacted = '[redacted]';

const secretName = /auth|cookie|token|secret|key|signature|session|credential|passw|jwt/i;
/** Challenges describe what a request lacked and contain no secrets. */
const challenges = new Set(['www-authenticate', 'proxy-authenticate']);
const parameter = /([?&#;]\s*)([^=&#?;\s]+)=([^&#?;,<>"\s]+)/g;
const userInfo = /\/\/[^/\s@]+@/g;
const secretValue = /(?<![\w-])(?:(?:bearer|basic)\s+\S+|eyJ[\w-]+\.[\w.-]+|(?:whsec|whsk|sk|pk|ghp)_\w{8,})/gi;

/** The response headers to keep in the delivery log: without secrets, and limited in size. */
export function redactHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const kept: [string, string][] = [];
  let bytes = 0;
  for (const [name, given] of Object.entries(headers)) {
    if (given === undefined) continue;
    const value = redact(name, typeof given === 'string' ? given : given.join(', '));
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
    if (kept.length === maxHeaders || bytes > maxBytes) break;
    kept.push([name, value]);
  }
  return Object.fromEntries(kept);
}

function redact(name: string, value: string): string {
  const text = value.length > maxValueLength ? `${value.slice(0, maxValueLength)}…` : value;
  if (challenges.has(name)) return text;
  if (secretName.test(name)) return redacted;
  return text
    .replace(parameter, (whole, before: string, key: string) => (secretName.test(key) ? `${before}${key}=${redacted}` : whole))
    .replace(userInfo, `//${redacted}@`)
    .replace(secretValue, redacted);
}

/** Keeps the scheme and the time of signatures, which show what was signed and with how many secrets. */
export function redactSignatures(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      name.endsWith('-signature') ? value.replace(/(v1,|,s=)\S+/g, `$1${redacted}`) : value,
    ]),
  );
}

/** Removes the query values of the webhook address from a response: some receivers repeat the request, or redirect with the same query. */
export function createQueryRedactor(url: URL): (text: string) => string {
  const secrets = findQuerySecrets(url);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, redacted), text);
}
