import { afterAll } from '@jest/globals';

const hooks: (() => Promise<void> | void)[] = [];

/** For modules beside the tests, which are loaded once per worker: an `afterAll` of theirs would belong to the first file only. */
export const afterEachFile = (hook: () => Promise<void> | void): void => void hooks.push(hook);

/** Jest calls it for each test file. */
export default function setUpFile() {
  afterAll(async () => {
    for (const hook of hooks) await hook();
  });
}
