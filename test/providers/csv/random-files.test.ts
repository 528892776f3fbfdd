import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createCsvDirectory, type People, toFiles } from '../../support/csv-directory.ts';
import type { DirectService } from '../../support/direct-service.ts';
import { changeRandomly } from '../../support/random-people.ts';
import { createSeededRandom } from '../../support/seed.ts';
import { startSyncService } from '../../support/start-with-provider.ts';

const testTimeoutMs = 240_000;
let service: DirectService;
beforeAll(async () => {
  service = await startSyncService({ DSYNC_REMOVAL_PERCENT: '100', DSYNC_REMOVAL_COUNT: '1000' });
});
afterAll(() => service.stop());

it(
  'ends in equality with the files after any sequence of sets, of which some are wrong or only tried',
  async () => {
    const random = createSeededRandom();
    const directory = await createCsvDirectory(service);
    const people: People = { users: new Map([['u0', { email: 'u0@acme.example', active: true }]]), groups: new Map(), members: new Set() };
    for (let round = 0; round < 12; round += 1) {
      for (let change = random.below(12); change > 0; change -= 1) changeRandomly(people, random);
      const files = toFiles(people, [',', ';', '\t'][random.below(3)]);
      const attempts: unknown[] = [];
      if (random.below(4) === 0)
        attempts.push((await directory.upload({ ...files, 'users.csv': `${files['users.csv'] as string}u0\n` })).status);
      if (random.below(4) === 0) attempts.push((await directory.sync(files, '?dry_run=true')).error.code);
      expect(attempts.filter((found) => found !== 422 && found !== 'dry_run')).toEqual([]);
      const run = await directory.sync(files);
      expect([run.state, run.failed]).toEqual(['succeeded', 0]);
      await directory.expectSame(people);
    }
  },
  testTimeoutMs,
);
