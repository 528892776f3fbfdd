import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { run } from '../prepare/run.mjs';

/**
 * The OpenAPI document of the current sources. Compiled outside `dist` and without type checks: code that uses the client may not
 * match the document until the client is generated.
 */
export async function readDocument(root) {
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  // Inside the repository, so that Node finds the packages.
  const folder = await mkdtemp(join(cache, 'rollcall-client-'));
  try {
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await compile(root, folder);
    const { createDocument } = await import(pathToFileURL(join(folder, 'src/http/openapi/create-document.js')).href);
    // Through JSON, as HTTP callers see it.
    return JSON.parse(JSON.stringify(createDocument({ baseUrl: 'http://127.0.0.1:5225', version: '', limiting: true })));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function compile(root, folder) {
  const to = (file) => join(relative(folder, root), file);
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: to('tsconfig.json'),
      compilerOptions: { rootDir: to('.'), outDir: '.', noCheck: true, declaration: false, sourceMap: false },
      include: [],
      files: [to('src/http/openapi/create-document.ts')],
    }),
  );
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], {
    sentence: 'The OpenAPI document could not be compiled: fix the errors above.',
  });
}
