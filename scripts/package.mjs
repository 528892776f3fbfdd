// Adds to a build what users of the package need: `types`, the declarations that its entries reach, and `cjs`, the same entries as
// CommonJS. Usage: `node scripts/package.mjs dist`
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { transform } from '@swc/core';

const build = resolve(process.argv[2] ?? 'dist');
const entries = ['library', 'client', 'jackson'].map((folder) => join(build, 'src', folder, 'index.js'));
const specifier = /\b((?:from|import)\s*\(?\s*)(['"])(\.{1,2}\/[^'"]+)\2/g;

const modules = await reach(entries, (file) => file);
const declarations = await reach(entries.map(declarationOf), declarationOf);
await Promise.all([...[...modules].map(writeCommonJs), ...[...declarations].flatMap(writeDeclarations)]);
// Not in `cjs` itself: code there finds the package's own package.json by going up.
await Promise.all(['src', 'activities'].map((folder) => write(['cjs', folder, 'package.json'], '{ "type": "commonjs" }\n')));

async function writeCommonJs([file, text]) {
  const { code } = await transform(text.replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n'), {
    filename: file,
    swcrc: false,
    isModule: true,
    module: { type: 'commonjs', exportInteropAnnotation: true },
    jsc: { target: 'es2023', parser: { syntax: 'ecmascript' } },
  });
  await write(['cjs', relative(build, file)], code);
}

function writeDeclarations([file, text]) {
  const code = text.replace(specifier, (_, before, quote, path) => `${before}${quote}${path.replace(/\.ts$/, '.js')}${quote}`);
  return ['types', 'cjs'].map((folder) => write([folder, relative(build, file)], code));
}

/** Reads these files and all files that they import, directly or indirectly. */
async function reach(files, fileOf) {
  const texts = new Map();
  const waiting = [...files];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (texts.has(file)) continue;
    const text = await readFile(file, 'utf8');
    texts.set(file, text);
    for (const [, , , path] of text.matchAll(specifier)) waiting.push(fileOf(join(dirname(file), path)));
  }
  return texts;
}

function declarationOf(file) {
  return file.replace(/\.[jt]s$/, '.d.ts');
}

async function write(names, text) {
  const file = join(build, ...names);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
