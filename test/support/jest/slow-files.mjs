import { relative } from 'node:path';

const shown = 15;

/** A jest reporter: which test files take the most time. */
export default class SlowFiles {
  onRunComplete(_, { testResults }) {
    if (testResults.length <= 1) return;
    const files = testResults
      .map(({ testFilePath, perfStats }) => ({ file: relative(process.cwd(), testFilePath), seconds: perfStats.runtime / 1_000 }))
      .sort((one, other) => other.seconds - one.seconds);
    const sum = files.reduce((total, { seconds }) => total + seconds, 0);
    const lines = files.slice(0, shown).map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`);
    process.stderr.write(`\nSlowest of ${files.length} test files (${sum.toFixed(0)} s in all, over all workers):\n${lines.join('\n')}\n`);
  }
}
