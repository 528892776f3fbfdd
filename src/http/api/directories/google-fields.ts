import { z } from 'zod';
import { text } from '../text.ts';

const names = z.array(text.trim().min(1, 'must not be empty').max(500), 'must be a list').max(500, 'may have at most 500 entries');

/** The settings of a directory that is synced from Google Workspace. */
export const googleFields = {
  google_domain: text
    .trim()
    .max(253)
    .refine((value) => /^[\p{L}\p{N}.-]*$/u.test(value), 'must be a domain like acme.example')
    .optional()
    .meta({ description: 'Sync only the users of this domain; empty: all.', examples: ['acme.example'] }),
  google_access_token: text.max(4000).optional().meta({ description: 'An access token that was obtained elsewhere.' }),
  google_refresh_token: text.max(4000).optional().meta({ description: 'The refresh token that belongs to it.' }),
  google_admin_email: text
    .trim()
    .max(320)
    .refine((value) => value === '' || /^[^\s@]+@[^\s@]+$/.test(value), 'must be an email address')
    .optional()
    .meta({ description: 'The administrator that a service account acts for.', examples: ['admin@acme.example'] }),
  google_service_account_key: text
    .max(10_000)
    .refine((value) => value === '' || isKey(value), 'must be the text of a service account key file, or empty')
    .optional()
    .meta({ description: "The content of the service account's key file; empty: the deployment's own." }),
  google_groups: names
    .optional()
    .meta({ description: 'Sync only these groups, by address or id; empty: all.', examples: [['team@acme.example']] }),
  google_org_units: names
    .refine((paths) => paths.every((path) => path.startsWith('/')), 'must be paths that begin with /, like /Sales')
    .optional()
    .meta({ description: 'Sync only these organizational units and those below them; empty: all.', examples: [['/Sales']] }),
};

function isKey(value: string): boolean {
  try {
    const key = JSON.parse(value) as Record<string, unknown> | null;
    return typeof key?.['client_email'] === 'string' && typeof key['private_key'] === 'string';
  } catch {
    return false;
  }
}
