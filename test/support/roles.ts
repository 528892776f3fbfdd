import { expect } from '@jest/globals';
import type { TestService } from './service.ts';
import { until } from './until.ts';

export const rolesPath = (directoryId: string) => `/api/v1/directory-sync/${directoryId}/roles`;

/** Replaces the role table, and waits until all users are computed. */
export async function setRoles(service: TestService, directoryId: string, table: object): Promise<void> {
  const { status, body } = await service.api('PUT', rolesPath(directoryId), table);
  expect([status, body.error]).toEqual([200, null]);
  await untilRolesComputed(service, directoryId);
}

/** Until no user is noted and no recomputation runs. */
export const untilRolesComputed = ({ db }: Pick<TestService, 'db'>, directoryId: string) =>
  until(
    async () =>
      (await db('users_to_recompute').where({ directory_id: directoryId })).length === 0 &&
      (await db('attribute_recomputes').where({ directory_id: directoryId, finished_at: null })).length === 0,
    { timeoutMs: 60_000 },
  );

export async function rolesOf(service: TestService, directoryId: string, userId: string): Promise<[role: unknown, roles: unknown]> {
  const { data } = (await service.api('GET', `/api/v1/directory-sync/users/${userId}?directory_id=${directoryId}`)).body;
  return [data.role, data.roles];
}

interface ToldRoles {
  event: string;
  reason: string;
  changes?: string[];
  previous_attributes?: Record<string, unknown>;
  data: { id: string; role?: string | null; roles?: unknown };
}

/** The events after the first ones. */
export const readTold = async (service: TestService, directoryId: string, after = 0): Promise<ToldRoles[]> =>
  (await service.api('GET', `/api/v1/events?directory_id=${directoryId}&limit=1000`)).body.data.slice(after);
