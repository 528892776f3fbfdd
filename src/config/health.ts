import { flag, duration } from './fields.ts';

export const healthSettings = {
  DIRECTORY_STALE_AFTER: duration('a duration like 30d, 720h or 1d12h; empty for never')
    .prefault('30d')
    .describe('How long a directory may have no push and no sync before its health is stale, such as 7d or 12h; empty for never.'),
  METRICS_BY_DIRECTORY: flag
    .default(false)
    .describe('Whether /metrics also has the health and the backlog of each directory, with its ID, tenant and product as labels.'),
};
