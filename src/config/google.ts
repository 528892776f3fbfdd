import { address, positive, text } from './fields.ts';

export const googleSettings = {
  DSYNC_GOOGLE_CLIENT_ID: text
    .optional()
    .describe(
      'Client ID of the Google OAuth client that administrators use to authorize directories of type google; default: GOOGLE_CLIENT_ID.',
    ),
  DSYNC_GOOGLE_CLIENT_SECRET: text.optional().describe('Client secret of the Google OAuth client; default: GOOGLE_CLIENT_SECRET.'),
  GOOGLE_CLIENT_ID: text.optional().describe('Fallback for DSYNC_GOOGLE_CLIENT_ID.'),
  GOOGLE_CLIENT_SECRET: text.optional().describe('Fallback for DSYNC_GOOGLE_CLIENT_SECRET.'),
  DSYNC_GOOGLE_SERVICE_ACCOUNT_FILE: text
    .optional()
    .describe(
      'Key file of a service account with domain-wide delegation, for directories with a google_admin_email instead of OAuth consent.',
    ),
  DSYNC_GOOGLE_CRON_INTERVAL: positive
    .min(60, 'at least 60')
    .max(604_800, 'at most 604800')
    .default(7_200)
    .describe('Seconds between two syncs of each directory of type google.'),
  DSYNC_GOOGLE_API_URL: address(/^https?$/, 'an http(s) address')
    .optional()
    .describe("Address of Google's Admin API, if requests must go through a gateway; default: https://admin.googleapis.com."),
  DSYNC_GOOGLE_AUTH_URL: address(/^https?$/, 'an http(s) address')
    .optional()
    .describe("Address of Google's consent page, if requests must go through a gateway."),
  DSYNC_GOOGLE_TOKEN_URL: address(/^https?$/, 'an http(s) address')
    .optional()
    .describe("Address of Google's token endpoint, if requests must go through a gateway."),
};
