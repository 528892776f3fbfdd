// Adds to a build what users of the package need: `types`, the declarations that its entries reach, and `cjs`, the same entries as
// CommonJS. And `client-package`: the client alone, as a package without dependencies. Usage: `node scripts/package.mjs dist`
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { transform } from '@swc/core';

const build = resolve(process.argv[2] ?? 'dist');
const specifier = /\b((?:from|import)\s*\(?\s*)(['"])(\.{1,2}\/[^'"]+)\2/g;

await writeRollcall();
await writeClient(join(build, 'client-package'));

async function writeRollcall() {
  const { modules, declarations } = await reachAll(
    ['library', 'client', 'jackson'].map((folder) => join(build, 'src', folder, 'index.js')),
  );
  await Promise.all([
    ...[...modules].map(([file, text]) => writeCommonJs(join(build, 'cjs', relative(build, file)), file, text)),
    ...[...declarations].flatMap(([file, text]) =>
      ['types', 'cjs'].map((folder) => writeDeclaration(join(build, folder, relative(build, file)), text)),
    ),
  ]);
  // Not in `cjs` itself: code there finds the package's own package.json by going up.
  await Promise.all(['src', 'activities'].map((folder) => write(join(build, 'cjs', folder, 'package.json'), '{ "type": "commonjs" }\n')));
}

function entryOf(folder) {
  return { types: `${folder}/index.d.ts`, default: `${folder}/index.js` };
}

async function writeClient(to) {
  const { version, license, engines } = JSON.parse(await readFile('package.json', 'utf8'));
  const from = join(build, 'src/client');
  const { modules, declarations } = await reachAll([join(from, 'index.js')]);
  const manifest = {
    name: 'rollcall-client',
    version,
    description: 'Typed client for the API of Rollcall, without dependencies.',
    license,
    type: 'module',
    main: './cjs/index.js',
    types: './cjs/index.d.ts',
    exports: { '.': { import: entryOf('./esm'), require: entryOf('./cjs') }, './package.json': './package.json' },
    files: ['esm', 'cjs'],
    engines,
  };
  await Promise.all([
    write(join(to, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`),
    write(join(to, 'cjs/package.json'), '{ "type": "commonjs" }\n'),
    ...[...modules].flatMap(([file, text]) => [
      write(join(to, 'esm', relative(from, file)), withoutSourceMap(text)),
      writeCommonJs(join(to, 'cjs', relative(from, file)), file, text),
    ]),
    ...[...declarations].flatMap(([file, text]) =>
      ['esm', 'cjs'].map((folder) => writeDeclaration(join(to, folder, relative(from, file)), text)),
    ),
  ]);
  await copyFile('src/client/README.md', join(to, 'README.md'));
  await copyFile('LICENSE', join(to, 'LICENSE'));
}

/** These modules, their declarations, and all that they import, directly or indirectly. */
async function reachAll(entries) {
  return { modules: await reach(entries, (file) => file), declarations: await reach(entries.map(declarationOf), declarationOf) };
}

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

async function writeCommonJs(to, file, text) {
  const { code } = await transform(withoutSourceMap(text), {
    filename: file,
    swcrc: false,
    isModule: true,
    module: { type: 'commonjs', exportInteropAnnotation: true },
    jsc: { target: 'es2023', parser: { syntax: 'ecmascript' } },
  });
  await write(to, code);
}

function withoutSourceMap(text) {
  return text.replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n');
}

function writeDeclaration(to, text) {
  return write(
    to,
    text.replace(specifier, (_, before, quote, path) => `${before}${quote}${path.replace(/\.ts$/, '.js')}${quote}`),
  );
}

async function write(file, text) {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
