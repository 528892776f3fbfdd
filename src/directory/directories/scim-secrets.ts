import { randomBytes } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { isId } from '../../ids.ts';
import { directoryNotFound, secretInUse } from '../errors.ts';

export interface ScimSecretStore {
  /** Sets the new secret. The current ones stay valid for `overlapMs`, or until they expire. */
  rotate(
    directoryId: string,
    rotation: { secret: string; overlapMs: number; expiresAt: Date | undefined },
  ): Promise<{ previousValidUntil: Date | undefined } | 'pulled' | 'same' | undefined>;
  noteUse(directoryId: string, secretId: string): Promise<void>;
}

export type ScimSecrets = ReturnType<typeof createScimSecrets>;

/** Rotates the bearer tokens of identity providers. */
export function createScimSecrets({ store }: { store: Pick<ScimSecretStore, 'rotate'> }) {
  return {
    async rotate(directoryId: string, { secret = randomBytes(24).toString('base64url'), overlapMs, expiresAt }: ScimRotation) {
      const rotated = isId(directoryId) ? await store.rotate(directoryId, { secret, overlapMs, expiresAt }) : undefined;
      if (!rotated) throw directoryNotFound();
      if (rotated === 'pulled') throw new AppError('invalid_request', 'This directory is pulled: it receives no pushes and has no secret.');
      if (rotated === 'same') throw secretInUse();
      return { secret, expiresAt, ...rotated };
    },
  };
}

interface ScimRotation {
  secret?: string | undefined;
  overlapMs: number;
  expiresAt: Date | undefined;
}
