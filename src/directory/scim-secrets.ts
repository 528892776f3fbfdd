import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../errors.ts';
import { isId } from '../ids.ts';
import { directoryNotFound } from './errors.ts';
import { isCleanText } from '../scim/text.ts';
import { readRequest } from './directory-requests.ts';
import { overlapSeconds } from './overlap-seconds.ts';
import { refuseMisspelt } from './refuse-misspelt.ts';

export interface ScimSecretStore {
  /** Sets the new secret. The current ones stay valid for `overlapMs`, or until they expire. */
  rotate(
    directoryId: string,
    rotation: { secret: string; overlapMs: number; expiresAt: Date | undefined },
  ): Promise<{ previousValidUntil: Date | undefined } | 'hosted' | 'same' | undefined>;
  noteUse(directoryId: string, secretId: string): Promise<void>;
}

export type ScimSecrets = ReturnType<typeof createScimSecrets>;

/** Rotates the bearer tokens of identity providers. */
export function createScimSecrets({ store }: { store: Pick<ScimSecretStore, 'rotate'> }) {
  return {
    async rotate(directoryId: string, { secret = randomBytes(24).toString('base64url'), overlapMs, expiresAt }: ScimRotation) {
      const rotated = isId(directoryId) ? await store.rotate(directoryId, { secret, overlapMs, expiresAt }) : undefined;
      if (!rotated) throw directoryNotFound();
      if (rotated === 'hosted') throw new AppError('invalid_request', 'This directory is pulled: it receives no pushes and has no secret.');
      if (rotated === 'same')
        throw new AppError('invalid_request', 'secret is in use already: send another one, or leave it out to have one created.', {
          field: 'secret',
        });
      return { secret, expiresAt, ...rotated };
    },
  };
}

interface ScimRotation {
  secret?: string | undefined;
  overlapMs: number;
  expiresAt: Date | undefined;
}

export const scimRotationRequest = z
  .object({
    secret: z
      .string('must be a string')
      .min(16, 'must have at least 16 characters; leave it out to have one made')
      .max(500, 'may have at most 500 characters')
      .refine(isCleanText, 'must not contain NUL characters or lone surrogates')
      .refine((text) => /^[\x21-\x7e]+$/.test(text), 'must be letters, digits and signs without spaces: it travels in a header')
      .optional()
      .meta({ description: 'The new secret; one is made if none is given.' }),
    overlap_seconds: overlapSeconds(30, 'thirty').meta({
      description: 'How long the former secret stays valid; 0 ends it at once.',
      examples: [86_400],
    }),
    expires_at: z.iso
      .datetime({ offset: true, error: 'must be a time like 2027-11-21T08:43:54Z' })
      .transform((text) => new Date(text))
      .refine((at) => at.getTime() > Date.now(), 'must not be past')
      .optional()
      .meta({
        description: 'Until when the new secret is valid; without it, as long as it is not rotated.',
        examples: ['2028-11-21T08:43:54Z'],
      }),
  })
  .meta({ id: 'RotateScimSecretRequest', description: 'How a SCIM secret is rotated.' });

export function readScimRotation(value: unknown): ScimRotation {
  refuseMisspelt(value, Object.keys(scimRotationRequest.shape));
  const { secret, overlap_seconds: overlap, expires_at: expiresAt } = readRequest(scimRotationRequest, value);
  return { secret, overlapMs: overlap * 1_000, expiresAt };
}
