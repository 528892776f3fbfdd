// Writes the steps of the set-up pages into docs/guides/providers: `npm run guides`.
// With --check it only compares. --pages names another folder.
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { replaceSteps } from './generate-guides/replace-steps.mjs';
import { writeSteps } from './generate-guides/write-steps.mjs';
import { ScriptError } from './prepare/run.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values: options } = parseArgs({
  options: {
    check: { type: 'boolean' },
    pages: { type: 'string', default: join(root, 'docs/guides/providers') },
  },
});

try {
  await generate();
} catch (error) {
  if (!(error instanceof ScriptError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function generate() {
  const { guides } = await import(pathToFileURL(join(root, 'dist/src/http/setup/guides/guides.js')).href);
  const config = await resolveConfig(join(root, 'docs/guides/providers/README.md'));
  for (const guide of Object.values(guides)) {
    const file = join(options.pages, guide.page);
    const page = await readFile(file, 'utf8');
    const steps = await format(writeSteps(guide), { ...config, parser: 'markdown', proseWrap: 'always' });
    const written = replaceSteps(page, steps);
    if (written === undefined)
      throw new ScriptError(`${guide.page} has no place for the steps: add the two comments that other pages have.`);
    if (!options.check) await writeFile(file, written);
    else if (written !== page)
      throw new ScriptError(`${guide.page} does not have the steps of the set-up page: run "npm run guides" and commit the result.`);
  }
}
