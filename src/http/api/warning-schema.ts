import { z } from 'zod';
import type { Warning } from '../../directory/delivery/webhook-secret-warnings.ts';
import { field } from './field.ts';

const warning = z
  .strictObject({
    code: field(z.literal('short_webhook_secret'), 'The kind of warning.', 'short_webhook_secret'),
    field: field(z.string(), 'The field of the request.', 'webhook_secret'),
    message: field(z.string(), 'A sentence for people.', 'webhook_secret has 8 characters: …'),
  })
  .meta({ id: 'Warning', description: 'The request succeeded, but something in it should be changed.' }) satisfies z.ZodType<Warning>;

export const warnings = z.array(warning).optional().meta({ description: 'What should be changed. Missing if there is nothing.' });
