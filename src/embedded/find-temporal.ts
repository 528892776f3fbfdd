import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { StartupError } from '../errors.ts';

interface TemporalSearch {
  /** TEMPORAL_BINARY. If set, nothing is searched. */
  binary?: string | undefined;
  path?: string | undefined;
  /** The root of the repository: `npm start` keeps the binary it downloads or builds in `.rollcall/bin` below it. */
  root: string;
}

export async function findTemporal({ binary, path, root }: TemporalSearch): Promise<string> {
  if (binary) return assertExecutable(binary);
  const folders = (path ?? '').split(delimiter).filter(Boolean);
  for (const folder of [...folders, join(root, '.rollcall/bin')]) {
    const candidate = join(folder, 'temporal');
    if (await isExecutable(candidate)) return candidate;
  }
  throw new StartupError(
    'No Temporal server found: install the temporal CLI, or install Go and run `npm start` again to build it, or set TEMPORAL_ADDRESS to your own server.',
  );
}

async function assertExecutable(binary: string): Promise<string> {
  if (await isExecutable(binary)) return binary;
  const exists = await stat(binary).then(
    (found) => found.isFile(),
    () => false,
  );
  throw new StartupError(
    exists
      ? `TEMPORAL_BINARY ${binary} is not executable: run \`chmod +x\` on it, or unset TEMPORAL_BINARY.`
      : `TEMPORAL_BINARY ${binary} is not a file: set it to the path of the temporal CLI, or unset it.`,
  );
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
