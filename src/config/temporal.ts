import { flag, text } from './fields.ts';

/** Temporal. */
export const temporalSettings = {
  TEMPORAL_ADDRESS: text
    .regex(/^[^\s/]+:\d+$/, 'host:port')
    .optional()
    .describe('Temporal frontend as host:port; `npm start` runs its own without it.'),
  TEMPORAL_NAMESPACE: text.default('default').describe('Temporal namespace.'),
  TEMPORAL_API_KEY: text.optional().describe('API key for Temporal Cloud; turns TLS on.'),
  TEMPORAL_TLS: flag.default(false).describe('Connect to Temporal by TLS.'),
  TEMPORAL_TLS_CA_FILE: text.optional().describe('File with the authority that signed the Temporal server certificate; turns TLS on.'),
  TEMPORAL_TLS_CERT_FILE: text
    .optional()
    .describe('File with the client certificate for Temporal; needs TEMPORAL_TLS_KEY_FILE and turns TLS on.'),
  TEMPORAL_TLS_KEY_FILE: text.optional().describe('File with the key of TEMPORAL_TLS_CERT_FILE.'),
  TEMPORAL_TLS_SERVER_NAME: text.optional().describe('Name to expect in the Temporal server certificate, where it is not the host name.'),
  TEMPORAL_BINARY: text.optional().describe('Path of the temporal binary that `npm start` runs; found or built without it.'),
};
