// Writes src/client/generated from the OpenAPI document: `npm run client`.
// With --check it only compares. --document and --into name another document and folder.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { listOperations } from './generate-client/list-operations.mjs';
import { listTypes } from './generate-client/list-types.mjs';
import { ScriptError } from './prepare/run.mjs';
import { readDocument } from './generate-client/read-document.mjs';
import { writeClient } from './generate-client/write-client.mjs';
import { writeOperations } from './generate-client/write-operations.mjs';
import { writeTypes } from './generate-client/write-types.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values: options } = parseArgs({
  options: {
    check: { type: 'boolean' },
    document: { type: 'string' },
    into: { type: 'string', default: join(root, 'src/client/generated') },
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
  const document = options.document ? JSON.parse(await readFile(options.document, 'utf8')) : await readDocument(root);
  const operations = listOperations(document);
  const types = listTypes(document, operations);
  const texts = {
    'types.ts': writeTypes(types),
    'operations.ts': writeOperations(operations),
    'client.ts': writeClient(operations, types),
  };
  const config = await resolveConfig(join(root, 'src/client/generated/types.ts'));
  await mkdir(options.into, { recursive: true });
  for (const [name, text] of Object.entries(texts)) {
    const file = join(options.into, name);
    const formatted = await format(`// Generated from the OpenAPI document by \`npm run client\`.\n${text}`, {
      ...config,
      parser: 'typescript',
    });
    if (!options.check) await writeFile(file, formatted);
    else if (formatted !== (await readFile(file, 'utf8').catch(() => undefined)))
      throw new ScriptError(
        `src/client/generated/${name} does not match the OpenAPI document: run "npm run client" and commit the result.`,
      );
  }
}
