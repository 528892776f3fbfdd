export let describe, it, test, beforeAll, beforeEach, afterAll, afterEach, expect;

/** Jest makes them for each test file, but this module and those that import it are loaded once. */
export function setGlobals(globals) {
  ({ describe, it, test, beforeAll, beforeEach, afterAll, afterEach, expect } = globals);
}
