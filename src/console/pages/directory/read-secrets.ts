import type { DirectoryWithHealth } from '../../../client/generated/types.ts';
import { api } from '../../api.ts';

/** Only when somebody asks for it: the audit log notes each read of a session. */
export const readSecret = (id: string, of: 'scim' | 'webhook') => async () => {
  const result = await api.directories.get(id);
  return result.error === null ? { ...result, data: { secret: (result.data satisfies DirectoryWithHealth)[of].secret } } : result;
};
