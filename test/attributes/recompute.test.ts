import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { compileAttributes } from '../../src/directory/attributes/compute-attributes.ts';
import type { AttributeMapping } from '../../src/directory/attributes/source.ts';
import { createMapped, mappingPath, untilComputed } from '../support/attributes.ts';
import { push } from '../support/inactive-users.ts';
import { createSeededRandom } from '../support/seed.ts';
import { shareTestService, type TestService } from '../support/service.ts';
import { readFeed } from '../support/snapshots.ts';

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());

it('ends with what a fresh computation has, and the feed with it, whatever is pushed meanwhile', async () => {
  const random = createSeededRandom();
  const pick = <Item>(items: Item[]): Item => items[random.below(items.length)]!;
  const schema = [
    { name: 'job_title', type: 'string', multiValued: false, required: true },
    { name: 'level', type: 'number', multiValued: false, required: false },
    { name: 'tags', type: 'string', multiValued: true, required: false },
  ] as const;
  const directory = await createMapped(
    service,
    schema.map(({ multiValued, ...attribute }) => ({ ...attribute, multi_valued: multiValued })),
  );
  const document = (n: number) => ({
    userName: `user-${n}`,
    ...(random.below(3) > 0 && { title: `Title ${random.below(4)}` }),
    ...(random.below(2) > 0 && { nickName: `${random.below(9)}` }),
    tags: Array.from({ length: random.below(4) }, () => pick(['a', 'b', 'c'])),
  });
  const mappings: AttributeMapping[] = [
    { job_title: { path: 'nickName' }, level: { path: 'nickName' } },
    { job_title: { first_of: [{ path: 'title' }, { constant: 'none' }], case: 'upper' }, tags: { path: 'tags' } },
    { job_title: null, level: { constant: 3 }, tags: { path: 'title', case: 'lower' } },
    {},
  ];
  const ids = await Promise.all(Array.from({ length: 80 }, (_, n) => push(directory, '/Users', document(n))));
  let mapping: AttributeMapping = {};
  for (let round = 0; round < 4; round += 1) {
    mapping = pick(mappings);
    const stored = service.api('PUT', mappingPath(directory.id), { attributes: mapping });
    const pushed = Array.from({ length: 30 }, () => {
      const n = random.below(ids.length);
      return directory.scim('PUT', `/Users/${ids[n]}`, document(n));
    });
    expect((await stored).status).toBe(200);
    for (const { status } of await Promise.all(pushed)) expect(status).toBe(200);
  }
  await untilComputed(service, directory.id);

  const compute = compileAttributes({ type: 'okta-scim-v2', schema: [...schema], mapping });
  const rows = await service.db('users').where({ directory_id: directory.id }).orderBy('id');
  expect(rows).toHaveLength(80);
  const fresh = rows.map(({ id, resource }) => {
    const { customAttributes, missing } = compute(resource);
    return [id, customAttributes, missing.length > 0];
  });
  expect(rows.map((row) => [row.id, row.custom_attributes, row.lacks_required])).toEqual(fresh);
  const latest = new Map<string, object>();
  const events = (await readFeed(service, directory.id, '')) as {
    event: string;
    reason: string;
    data: { id: string; custom_attributes: object };
  }[];
  for (const { data } of events) {
    expect(data.custom_attributes).toBeDefined();
    latest.set(data.id, data.custom_attributes);
  }
  expect(latest).toEqual(new Map(fresh.map(([id, attributes]) => [id, attributes])));
});
