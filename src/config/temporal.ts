import { flag, text } from './fields.ts';

export const temporalSettings = {
  TEMPORAL_ADDRESS: text
    .regex(/^[^\s/]+:\d+$/, 'host:port')
    .optional()
    .describe('Temporal frontend as host:port; if unset, `npm start` runs an embedded Temporal.'),
  TEMPORAL_NAMESPACE: text.default('default').describe('Temporal namespace.'),
  TEMPORAL_API_KEY: text.optional().describe('API key for Temporal Cloud; turns TLS on.'),
  TEMPORAL_TLS: flag.default(false).describe('Whether to connect to Temporal with TLS.'),
  TEMPORAL_TLS_CA_FILE: text.optional().describe('File with the CA certificate for the Temporal server; turns TLS on.'),
  TEMPORAL_TLS_CERT_FILE: text
    .optional()
    .describe('File with the client certificate for Temporal; requires TEMPORAL_TLS_KEY_FILE and turns TLS on.'),
  TEMPORAL_TLS_KEY_FILE: text.optional().describe('File with the private key for TEMPORAL_TLS_CERT_FILE.'),
  TEMPORAL_TLS_SERVER_NAME: text.optional().describe('Expected name in the Temporal server certificate, if it differs from the host name.'),
  TEMPORAL_BINARY: text
    .optional()
    .describe('Path of the temporal binary that `npm start` runs; if unset, it is found, downloaded or built.'),
};
