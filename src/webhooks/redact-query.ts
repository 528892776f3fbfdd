import { findQuerySecrets } from '../directory/webhook-address.ts';

const redacted = '[redacted]';

/**
 * Takes the values of an address's query out of what its receiver sent back: some repeat the request, or redirect with the same query.
 */
export function createQueryRedactor(url: URL): (text: string) => string {
  const secrets = findQuerySecrets(url);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, redacted), text);
}
