/** How many random cases a property test tries: all of them in `npm run test:all` and `npm run rounds`, a quarter in `npm test`. */
export const randomRuns = (all: number): number =>
  process.env['TEST_ALL'] === undefined && process.env['CONCURRENCY_ROUNDS'] === undefined ? Math.ceil(all / 4) : all;
