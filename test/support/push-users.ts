import { expect } from '@jest/globals';
import type { TestDirectory } from './service.ts';

/** One after the other, like a provider. */
export async function pushUsers(directory: TestDirectory, ...userNames: string[]): Promise<void> {
  for (const userName of userNames) expect((await directory.scim('POST', '/Users', { userName })).status).toBe(201);
}
