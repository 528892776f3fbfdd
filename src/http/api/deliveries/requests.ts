import { z } from 'zod';
import { isCleanText } from '../../../scim/text.ts';
import { deliveryKinds, deliveryStatuses } from '../../../directory/delivery/delivery-log.ts';
import { overlapSeconds } from '../field.ts';

export const resumeRequest = z
  .object({
    from: z
      .enum(['backlog', 'now'], 'must be backlog or now')
      .optional()
      .meta({ description: '`backlog` delivers all pending events; `now` skips them.', examples: ['backlog'] }),
  })
  .meta({ id: 'ResumeRequest', description: 'Where to resume.' });

export const rotateWebhookSecretRequest = z
  .object({
    secret: z
      .string('must be a string')
      .min(1, 'must not be empty; leave it out to have one created')
      .max(500, 'may have at most 500 characters')
      .refine(isCleanText, 'must not contain NUL characters or lone surrogates')
      .refine(
        (text) => !text.startsWith('whsec_') || /^whsec_[A-Za-z0-9+/]{22,}={0,2}$/.test(text),
        'starts with whsec_, so base64 of 16 bytes or more must follow',
      )
      .optional()
      .meta({ description: 'The new secret; default: a random one.' }),
    overlap_seconds: overlapSeconds(7, 'seven').meta({
      description: 'How long the previous secret also signs, in seconds; 0: not at all.',
      examples: [86_400],
    }),
  })
  .meta({ id: 'RotateWebhookSecretRequest', description: 'How to rotate a webhook secret.' });

export const deliveryFilterFields = {
  status: z
    .enum(deliveryStatuses, `must be one of ${deliveryStatuses.join(', ')}`)
    .optional()
    .meta({ description: 'Only deliveries with this status.', examples: ['pending'] }),
  kind: z
    .enum(deliveryKinds, `must be one of ${deliveryKinds.join(', ')}`)
    .optional()
    .meta({ description: 'Only deliveries of new events (`live`), or only those of replays.', examples: ['live'] }),
};
