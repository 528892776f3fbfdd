import { z } from 'zod';
import { isCleanText } from '../../scim/text.ts';
import { readRequest } from '../directory-requests.ts';
import { overlapSeconds } from '../overlap-seconds.ts';
import { refuseMisspelt } from '../refuse-misspelt.ts';
import { deliveryKinds, deliveryStatuses } from './delivery-log.ts';

export const resumeRequest = z
  .object({
    from: z
      .enum(['backlog', 'now'], 'must be backlog or now')
      .optional()
      .meta({ description: 'With everything that waits, or only with what comes from now on.', examples: ['backlog'] }),
  })
  .meta({ id: 'ResumeRequest', description: 'Where to go on.' });

export const rotateRequest = z
  .object({
    secret: z
      .string('must be a string')
      .min(1, 'must not be empty; leave it out to have one made')
      .max(500, 'may have at most 500 characters')
      .refine(isCleanText, 'must not contain NUL characters or lone surrogates')
      .refine(
        (text) => !text.startsWith('whsec_') || /^whsec_[A-Za-z0-9+/]{22,}={0,2}$/.test(text),
        'begins with whsec_, and so wants base64 of 16 bytes or more behind it',
      )
      .optional()
      .meta({ description: 'The new secret; one is made if none is given.' }),
    overlap_seconds: overlapSeconds(7, 'seven').meta({
      description: 'How long the former secret signs beside it; 0 ends it at once.',
      examples: [86_400],
    }),
  })
  .meta({ id: 'RotateWebhookSecretRequest', description: 'How a webhook secret is rotated.' });

export const deliveriesQuery = z.object({
  status: z
    .enum(deliveryStatuses, `must be one of ${deliveryStatuses.join(', ')}`)
    .optional()
    .meta({ description: 'Only those of this status.', examples: ['pending'] }),
  kind: z
    .enum(deliveryKinds, `must be one of ${deliveryKinds.join(', ')}`)
    .optional()
    .meta({ description: 'Only new ones, or only those of replays.', examples: ['live'] }),
});

export const readResumeRequest = (value: unknown) => read(resumeRequest, value);
export const readRotateRequest = (value: unknown) => read(rotateRequest, value);

function read<Schema extends z.ZodObject>(schema: Schema, value: unknown): z.infer<Schema> {
  refuseMisspelt(value, Object.keys(schema.shape));
  return readRequest(schema, value);
}
