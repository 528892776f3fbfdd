import { flag, keptFor } from './fields.ts';

export const auditSettings = {
  AUDIT_LOG_TTL: keptFor
    .prefault('365d')
    .describe('How long entries of the audit log are kept, such as 365d or 8760h; empty keeps them forever.'),
  SCIM_REQUESTS_TTL: keptFor
    .prefault('30d')
    .describe('How long recorded SCIM requests are kept, at most 100 per directory, such as 30d or 720h; empty sets no time limit.'),
  AUDIT_LOG_WEBHOOK: flag
    .default(false)
    .describe('Whether each entry of the audit log is also sent to WEBHOOK_URL, as the operator event dsync.audit.'),
};
