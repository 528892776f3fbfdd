import type { Context } from '../add-command.ts';
import { UsageError } from '../failures.ts';
import { toDirectoryFields, type DirectorySettings } from './directory-fields.ts';
import { printDirectory } from './print-directory.ts';

export async function updateDirectory({
  args: [id],
  options,
  client,
  ask,
  asked,
  print,
}: Context<DirectorySettings & { showSecrets?: boolean }>) {
  const fields = await toDirectoryFields(options);
  if (Object.keys(fields).length === 0)
    throw new UsageError(
      `rollcall directories update wants something to change, such as --name or --webhook-url. Example: ${asked.example}`,
    );
  const directory = await ask(client.directories.update(id!, fields));
  if (options.json) return print.json(directory);
  return printDirectory(print, directory, { showSecrets: options.showSecrets === true });
}
