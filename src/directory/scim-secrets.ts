import { randomBytes } from 'node:crypto';
import { AppError } from '../errors.ts';
import { isId } from '../ids.ts';

export interface ScimSecretStore {
  /** The new one is the directory's from now on; the others stay valid for that long, as far as they would have been anyway. */
  rotate(
    directoryId: string,
    rotation: { secret: string; overlapMs: number; expiresAt: Date | undefined },
  ): Promise<{ previousValidUntil: Date | undefined } | 'hosted' | 'same' | undefined>;
  noteUse(directoryId: string, secretId: string): Promise<void>;
}

export type ScimSecrets = ReturnType<typeof createScimSecrets>;

/** What a directory's identity provider authenticates with. */
export function createScimSecrets({ store }: { store: Pick<ScimSecretStore, 'rotate'> }) {
  return {
    async rotate(directoryId: string, { secret = randomBytes(24).toString('base64url'), overlapMs, expiresAt }: ScimRotation) {
      const rotated = isId(directoryId) ? await store.rotate(directoryId, { secret, overlapMs, expiresAt }) : undefined;
      if (!rotated) throw new AppError('not_found', 'There is no directory with this id.');
      if (rotated === 'hosted')
        throw new AppError('invalid_request', 'This directory is pulled: nobody pushes to it, and it has no secret.');
      if (rotated === 'same')
        throw new AppError('invalid_request', 'secret is valid already: send another one, or none to have one made.', { field: 'secret' });
      return { secret, expiresAt, ...rotated };
    },
  };
}

interface ScimRotation {
  secret?: string | undefined;
  overlapMs: number;
  expiresAt: Date | undefined;
}
