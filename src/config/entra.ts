import { address, positive, text } from './fields.ts';

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
