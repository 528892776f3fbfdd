import type { UpdateDirectoryRequest } from '../../client/index.ts';
import type { Context } from '../add-command.ts';
import type { DirectorySettings } from './directory-fields.ts';
import { printDirectory } from './print-directory.ts';
import { printWarnings } from './print-warnings.ts';

export async function updateDirectory({
  args: [id],
  options,
  client,
  ask,
  judged: fields,
  print,
}: Context<DirectorySettings & { showSecrets?: boolean }, UpdateDirectoryRequest>) {
  const directory = await ask(client.directories.update(id!, fields));
  printWarnings(print, directory.warnings);
  if (options.json) return print.json(directory);
  return printDirectory(print, directory, { showSecrets: options.showSecrets === true });
}
