import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createManyUsers } from '../support/create-many-users.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.stop());

it('counts at most 10,001 users that lack an attribute, and no groups of members in a directory with more than 10,000 memberships', async () => {
  const product = 'counted';
  const { id } = await service.createDirectory({ product });
  const health = async () => (await service.api('GET', `/api/v1/directory-sync/${id}`)).body.data.health;
  await createManyUsers(service.db, id, 10_005, { hasOwnKeys: true });
  await service.db.raw(
    `insert into attribute_schemas (product, attributes) values (:product, '[{"name": "job_title", "type": "string", "required": true}]')`,
    { product },
  );
  await service.db('users').where({ directory_id: id }).update({ lacks_required: true });
  expect((await health()).users_missing_attributes).toBe(10_001);
  const setMemberships = (count: number) => service.db('directories').where({ id }).update({ membership_count: count });
  await setMemberships(10_000);
  expect((await health()).quotas.groups_per_member.used).toBe(0);
  await setMemberships(10_001);
  expect((await health()).quotas.groups_per_member.used).toBeNull();
});
