// Bundles the console of a build: `node scripts/bundle-console.mjs dist`. The service sends two files, so browsers load no package.
import { copyFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const folder = join(resolve(process.argv[2] ?? 'dist'), 'console');
await build({
  entryPoints: { console: 'src/console/main.tsx' },
  outdir: folder,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  tsconfig: 'src/console/tsconfig.json',
  // The licence of what is bundled asks for it.
  banner: { js: '/*! Rollcall, Apache-2.0. Contains Preact, MIT, Copyright (c) 2015-present Jason Miller */' },
  logLevel: 'warning',
});
// For the pages of the service that have no other file.
await copyFile('src/console/styles/tokens.css', join(folder, 'tokens.css'));
