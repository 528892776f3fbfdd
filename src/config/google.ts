import { z } from 'zod';
import { address, positive, text } from './fields.ts';

/** Directories that are read from Google Workspace. */
export const googleSettings = {
  DSYNC_GOOGLE_CLIENT_ID: text
    .optional()
    .describe(
      'Client id of the Google OAuth client with which administrators authorise directories of type google; else GOOGLE_CLIENT_ID.',
    ),
  DSYNC_GOOGLE_CLIENT_SECRET: text.optional().describe('Its secret; else GOOGLE_CLIENT_SECRET.'),
  GOOGLE_CLIENT_ID: text.optional().describe('Stands in for DSYNC_GOOGLE_CLIENT_ID.'),
  GOOGLE_CLIENT_SECRET: text.optional().describe('Stands in for DSYNC_GOOGLE_CLIENT_SECRET.'),
  DSYNC_GOOGLE_SERVICE_ACCOUNT_FILE: text
    .optional()
    .describe(
      'Key file of a service account with domain-wide delegation, for directories that have a google_admin_email instead of a consent.',
    ),
  DSYNC_GOOGLE_CRON_INTERVAL: positive
    .min(60, 'at least 60')
    .max(604_800, 'at most 604800')
    .default(7_200)
    .describe('Seconds between two readings of each directory of type google.'),
  DSYNC_GOOGLE_REMOVAL_PERCENT: z.coerce
    .number('a number from 0 to 100')
    .min(0, 'a number from 0 to 100')
    .max(100, 'a number from 0 to 100')
    .default(30)
    .describe('A reading that would remove a larger share of the users, groups or memberships waits for a confirmation; 100 never waits.'),
  DSYNC_GOOGLE_REMOVAL_COUNT: z.coerce
    .number('a whole number')
    .int('a whole number')
    .min(0, 'a whole number')
    .default(10)
    .describe('Removals of so many never wait for a confirmation, whatever share they are.'),
  DSYNC_GOOGLE_API_URL: address(/^https?$/, 'an http(s) address')
    .optional()
    .describe("Origin at which Google's Admin API is, behind a gateway of one's own; https://admin.googleapis.com by default."),
  DSYNC_GOOGLE_AUTH_URL: address(/^https?$/, 'an http(s) address')
    .optional()
    .describe("Likewise Google's consent page."),
  DSYNC_GOOGLE_TOKEN_URL: address(/^https?$/, 'an http(s) address')
    .optional()
    .describe("Likewise Google's token endpoint."),
};
