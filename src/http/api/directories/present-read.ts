import { z } from 'zod';
import type { Caller } from '../../../access/caller.ts';
import type { Directory } from '../../../directory/directories/directory.ts';
import type { HttpDeps } from '../../deps.ts';
import { presentDirectory, showSecrets } from './presenter.ts';
import type { DirectoryBody } from './schemas.ts';

export const includeSecrets = z
  .enum(['true', 'false'], 'must be true or false')
  .optional()
  .meta({ description: 'With `false`, secrets are null, and the audit log has no read of them; default: true.', examples: ['false'] });
export const secretsQuery = z.object({ include_secrets: includeSecrets });

export type SecretsQuery = z.output<typeof secretsQuery>;

/** Directories that a caller reads. The audit log has it if their secrets are shown. */
export async function presentRead(found: Directory[], deps: HttpDeps, caller: Caller, query: SecretsQuery): Promise<DirectoryBody[]> {
  const shown = query.include_secrets === 'false' ? { webhookSecret: false, others: false } : showSecrets(caller, deps);
  if (shown.others) await deps.audit.recordSecretsRead(found);
  return found.map((directory) => presentDirectory(directory, deps.baseUrl(), shown));
}
