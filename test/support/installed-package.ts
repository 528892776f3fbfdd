import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../src/paths.ts';
import { temporaryFolder } from './temporary-folder.ts';

const run = promisify(execFile);

export interface Project extends AsyncDisposable {
  tarball: string;
  /** The package's files, sorted. */
  files: string[];
  /** Of the package and unpacked. */
  bytes: number;
  at(...names: string[]): string;
  write(file: string, text: string): Promise<void>;
  node(args: string[], env?: Record<string, string>): Promise<string>;
}

interface ProjectOptions {
  /** Of the package. Default: the package of this repository. */
  folder?: string;
  /** False is `npm install --omit=optional`. */
  withOptional?: boolean;
  devDependencies?: string[];
}

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/**
 * An empty project with a package installed, packed from the build with `npm pack`. Dependencies are not fetched again: those
 * that its package.json names, and no others, are linked to this repository's, so that an undeclared dependency is missing.
 */
export async function createProject({
  folder: packageFolder = packageRoot,
  withOptional = false,
  devDependencies = [],
}: ProjectOptions): Promise<Project> {
  const folder = await temporaryFolder();
  const npm = process.env['npm_execpath'];
  const [command, first] = npm?.endsWith('npm-cli.js') ? [process.execPath, [npm]] : ['npm', []];
  const pack = [...first, 'pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder.path];
  const { stdout } = await run(command, pack, { cwd: packageFolder });
  const [packed] = JSON.parse(stdout) as { filename: string; unpackedSize: number; files: { path: string }[] }[];
  const tarball = folder.at(packed!.filename);

  const modules = folder.at('node_modules');
  const { name, dependencies = {}, optionalDependencies = {} } = await readManifest(packageFolder);
  await mkdir(join(modules, name), { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', join(modules, name), '--strip-components=1']);
  const optional = withOptional ? Object.keys(optionalDependencies).filter((one) => one.startsWith('@temporalio/')) : [];
  for (const linked of [...Object.keys(dependencies), ...optional, ...devDependencies]) {
    await mkdir(dirname(join(modules, linked)), { recursive: true });
    await symlink(join(packageRoot, 'node_modules', linked), join(modules, linked), 'dir');
  }

  return {
    tarball,
    files: packed!.files.map(({ path }) => path).sort(),
    bytes: packed!.unpackedSize,
    at: folder.at,
    async write(file, text) {
      await mkdir(dirname(folder.at(file)), { recursive: true });
      await writeFile(folder.at(file), text);
    },
    async node(args, env = {}) {
      const { PATH = '' } = process.env;
      const { stdout: out, stderr } = await run(process.execPath, args, { cwd: folder.path, env: { PATH, ...env } }).catch(
        (error: { stdout: string; stderr: string; message: string }) => {
          throw new Error(`${error.message}\n${error.stdout}${error.stderr}`);
        },
      );
      return `${out}${stderr}`;
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const readManifest = async (folder: string) => JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
