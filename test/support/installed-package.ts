import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../src/paths.ts';
import { temporaryFolder } from './temporary-folder.ts';

const run = promisify(execFile);

export interface Project extends AsyncDisposable {
  tarball: string;
  /** Its files, sorted. */
  files: string[];
  at(...names: string[]): string;
  write(name: string, text: string): Promise<void>;
  node(args: string[], env?: Record<string, string>): Promise<string>;
}

/**
 * An empty project with the package installed, packed from the build with `npm pack`. Dependencies are not fetched again: those
 * that its package.json names, and no others, are linked to this repository's, so that an undeclared dependency is missing.
 */
export async function createProject(devDependencies: string[]): Promise<Project> {
  const folder = await temporaryFolder();
  const npm = process.env['npm_execpath'];
  const [command, first] = npm?.endsWith('npm-cli.js') ? [process.execPath, [npm]] : ['npm', []];
  const pack = [...first, 'pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder.path];
  const { stdout } = await run(command, pack, { cwd: packageRoot });
  const [packed] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[];
  const tarball = folder.at(packed!.filename);

  const modules = folder.at('node_modules');
  await mkdir(join(modules, 'rollcall'), { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', join(modules, 'rollcall'), '--strip-components=1']);
  const { dependencies } = JSON.parse(await readFile(join(modules, 'rollcall/package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const name of [...Object.keys(dependencies), ...devDependencies]) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(packageRoot, 'node_modules', name), join(modules, name), 'dir');
  }

  return {
    tarball,
    files: packed!.files.map(({ path }) => path).sort(),
    at: folder.at,
    async write(name, text) {
      await mkdir(dirname(folder.at(name)), { recursive: true });
      await writeFile(folder.at(name), text);
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
