import { expect, it } from '@jest/globals';
import { createRestartingList } from '../../../src/directory/sync/restarting-list.ts';

const pages = 1_001;

/** Lists pages that have no items, but perhaps removals. */
async function listAll(removed: string[]) {
  const restarting = createRestartingList({ atMost: 0 });
  for (let page = 0; page < pages; page += 1)
    await restarting.list(page === 0 ? undefined : `page ${page}`, undefined, () =>
      Promise.resolve({ items: [], listed: 0, removed, nextPageToken: `page ${page + 1}` }),
    );
}

it('does not count pages that only remove as empty', async () => {
  await listAll(['somebody']);
  await expect(listAll([])).rejects.toThrow('more than 1000 empty pages');
});
