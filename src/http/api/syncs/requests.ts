import { z } from 'zod';
import { exampleId } from '../field.ts';

export const syncRequest = z
  .object({
    confirm: z
      .string('must be given once')
      .trim()
      .min(1, 'must name the run that is confirmed')
      .max(100)
      .optional()
      .meta({ description: 'The run that waits for confirmation of its removals.', examples: [exampleId] }),
  })
  .meta({ id: 'SyncRequest', description: 'The run to confirm, if there is one.' });
