import type { DirectoryType } from '../../directory/directory.ts';
import type { UpdateDirectoryRequest } from '../../client/index.ts';
import type { Context } from '../add-command.ts';
import type { DirectorySettings } from './directory-fields.ts';
import { printDirectory } from './print-directory.ts';
import { printWarnings } from './print-warnings.ts';

export async function createDirectory({
  options,
  client,
  ask,
  judged: fields,
  print,
}: Context<DirectorySettings & { tenant: string; product: string; type?: DirectoryType }, UpdateDirectoryRequest>) {
  const { tenant, product, type } = options;
  const directory = await ask(client.directories.create({ ...fields, tenant, product, type }));
  printWarnings(print, directory.warnings);
  if (options.json) return print.json(directory);
  printDirectory(print, directory, { showSecrets: true });
  if (directory.scim.endpoint) print.note('\nGive the endpoint and the secret to the identity provider.');
  return undefined;
}
