import { z } from 'zod';
import { readRequest } from './directory-requests.ts';
import { refuseMisspelt } from './refuse-misspelt.ts';

export const statsRequest = z
  .object({
    products: z
      .array(z.string('must be strings').max(200), 'must be an array')
      .max(50, 'may have at most 50 entries')
      .meta({ description: 'Whose directories are counted.', examples: [['crm']] }),
    type: z
      .enum(['sso', 'dsync', 'identityFederation'], 'must be sso, dsync or identityFederation')
      .optional()
      .meta({ description: 'What is counted; only dsync is there.', examples: ['dsync'] }),
  })
  .meta({ id: 'StatsRequest', description: 'What is to be counted.' });

export function readStatsRequest(value: unknown): z.infer<typeof statsRequest> {
  refuseMisspelt(value, Object.keys(statsRequest.shape));
  return readRequest(statsRequest, value);
}
