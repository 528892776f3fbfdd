import { z } from 'zod';
import { address, notNegative, positive, text } from './fields.ts';

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

export const entraSettings = {
  DSYNC_ENTRA_CLIENT_ID: text
    .optional()
    .describe('Application (client) ID of the Microsoft Entra application that reads directories of type entra.'),
  DSYNC_ENTRA_CLIENT_SECRET: text.optional().describe('Client secret of the Microsoft Entra application.'),
  DSYNC_ENTRA_CERTIFICATE_FILE: text
    .optional()
    .describe('PEM file with a certificate of the Microsoft Entra application and its private key, instead of DSYNC_ENTRA_CLIENT_SECRET.'),
  DSYNC_ENTRA_CRON_INTERVAL: positive
    .min(60, 'at least 60')
    .max(604_800, 'at most 604800')
    .default(900)
    .describe('Seconds between two syncs of each directory of type entra.'),
  DSYNC_ENTRA_LOGIN_URL: address(/^https?$/, 'an http(s) address')
    .optional()
    .describe("Address of Microsoft's sign-in service, in a national cloud; default: https://login.microsoftonline.com."),
  DSYNC_ENTRA_GRAPH_URL: address(/^https?$/, 'an http(s) address')
    .optional()
    .describe('Address of Microsoft Graph, in a national cloud; default: https://graph.microsoft.com.'),
};

const percent = z.coerce.number('a number from 0 to 100').min(0, 'a number from 0 to 100').max(100, 'a number from 0 to 100').optional();

/** The removal guard of all pulled directories. */
export const removalSettings = {
  DSYNC_REMOVAL_PERCENT: percent.describe(
    'A sync that would remove a larger percentage of the users, groups or memberships waits for confirmation; 100 turns this off; default: 30.',
  ),
  DSYNC_REMOVAL_COUNT: notNegative
    .optional()
    .describe('Removals up to this number never wait for confirmation, whatever their percentage; default: 10.'),
  DSYNC_GOOGLE_REMOVAL_PERCENT: percent.describe('Former name of DSYNC_REMOVAL_PERCENT.'),
  DSYNC_GOOGLE_REMOVAL_COUNT: notNegative.optional().describe('Former name of DSYNC_REMOVAL_COUNT.'),
};
