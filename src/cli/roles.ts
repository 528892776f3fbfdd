import { type Command, Option } from 'commander';
import type { RolePreview, RolePreviewRequest, RoleTable, RoleTableRequest } from '../client/index.ts';
import { createCommandAdder, type Select } from './command.ts';
import type { Context, ParsedCommand } from './connection.ts';
import { directoryArgument, fileOption, sampleIds, withSample } from './options.ts';
import type { Printer } from './output/printer.ts';
import { readJsonFile } from './read-json-file.ts';
import { noWaitOption, printUnfinished, printWouldUpdate, samplesOption, untilRecomputed, type WaitOptions } from './recomputed.ts';

const sample = 'roles.json';
const tableFile = (what = 'JSON file with the role table, such as {"groups":[{"group_name":"Admins","role":"admin"}]}') =>
  withSample(sample, fileOption('--file <file>', what));
interface SetOptions extends WaitOptions {
  file?: string;
}
interface PreviewOptions {
  file?: string;
  delete?: boolean;
  limit?: number;
}

/** Which roles follow from groups. */
export function registerRoles(parent: Command, select: Select): void {
  const add = createCommandAdder(parent, select);
  add({
    name: 'show',
    summary: 'Show the role table of a directory',
    arguments: [directoryArgument()],
    examples: [`rollcall roles show ${sampleIds.directory}`],
    action: async ({ args: [directory], options, client, unwrap, print }: Context) => {
      const table = await unwrap(client.roles.get(directory!));
      if (options.json) print.json(table);
      else printTable(print, table);
    },
  });
  add({
    name: 'set',
    summary: 'Replace the role table of a directory, and compute the roles of its users',
    arguments: [directoryArgument()],
    options: [tableFile().makeOptionMandatory(), noWaitOption()],
    examples: [`rollcall roles set ${sampleIds.directory} --file roles.json`],
    validate: (parsed: ParsedCommand<SetOptions>) => readJsonFile<RoleTableRequest>(parsed.options.file!, sample),
    action: (context: Context<SetOptions, RoleTableRequest>) =>
      change(context, ({ client, args: [directory], input }) => client.roles.set(directory!, input)),
  });
  add({
    name: 'preview',
    summary: 'Show what a role table, or its removal, would change, without storing it',
    arguments: [directoryArgument()],
    options: [
      tableFile('JSON file with the role table to try (default: the present one)'),
      new Option('--delete', 'what removing the role table would change').conflicts('file'),
      samplesOption(),
    ],
    examples: [`rollcall roles preview ${sampleIds.directory} --file roles.json`, `rollcall roles preview ${sampleIds.directory} --delete`],
    validate: async ({ options: { file, ...options } }: ParsedCommand<PreviewOptions>): Promise<RolePreviewRequest | undefined> => {
      if (options.delete) return { groups: null };
      return file === undefined ? undefined : readJsonFile<RolePreviewRequest>(file, sample);
    },
    action: previewRoles,
  });
  add({
    name: 'delete',
    summary: 'Remove the role table of a directory: its users have the roles that are pushed',
    arguments: [directoryArgument()],
    options: [noWaitOption()],
    examples: [`rollcall roles delete ${sampleIds.directory}`],
    action: (context: Context<WaitOptions>) => change(context, ({ client, args: [directory] }) => client.roles.delete(directory!)),
  });
}

/** Changes the table, and waits until all users are computed. */
async function change<Options extends WaitOptions, Input>(
  context: Context<Options, Input>,
  request: (context: Context<Options, Input>) => ReturnType<Context['client']['roles']['get']>,
): Promise<void> {
  const {
    args: [directory],
    options,
    client,
    unwrap,
    print,
  } = context;
  const table = await untilRecomputed(context, await unwrap(request(context)), () => client.roles.get(directory!));
  if (options.json) print.json(table);
  else printTable(print, table);
}

function printTable(print: Printer, table: RoleTable): void {
  if (!table.is_set) print.line('The directory has no role table: its users have the roles that are pushed.');
  else {
    print.table(
      [
        { title: 'PRIORITY', value: ({ priority }) => priority, alignRight: true },
        { title: 'GROUP', value: ({ group_name: name, group_id: id, group }) => name ?? group?.name ?? id, mayShrink: true },
        { title: 'ROLE', value: ({ role }) => role },
        { title: 'EXISTS', value: ({ group }) => (group ? 'yes' : 'no') },
      ],
      table.groups,
    );
    print.fields([
      ['Default role', table.default_role ?? 'none'],
      ['Roles of a user', table.multiple ? 'all' : 'the strongest'],
      ['Pushed roles', table.pushed_roles],
    ]);
  }
  printUnfinished(print, table);
}

async function previewRoles({
  args: [directory],
  options,
  input,
  client,
  unwrap,
  print,
}: Context<PreviewOptions, RolePreviewRequest | undefined>): Promise<void> {
  const preview = await unwrap(
    client.roles.preview(directory!, { ...input, ...(options.limit !== undefined && { limit: options.limit }) }),
  );
  if (options.json) return print.json(preview);
  printWouldUpdate(print, preview);
  if (preview.unmatched.length > 0) {
    const rows = input?.groups ?? (await unwrap(client.roles.get(directory!))).groups;
    const strongestFirst = rows.toSorted((one, other) => (one.priority ?? 0) - (other.priority ?? 0));
    const names = preview.unmatched.map((place) => strongestFirst[place]?.group_name ?? strongestFirst[place]?.group_id);
    print.line(`Groups that do not exist: ${names.join(', ')}`);
  }
  for (const { id, roles } of preview.samples) print.line(`${id} ${roles.length > 0 ? roles.map(textOf).join(', ') : 'no role'}`);
}

/** What a provider pushes can be an object, as SCIM has it. */
const textOf = (role: RolePreview['samples'][number]['roles'][number]): string =>
  typeof role === 'string' ? role : typeof role['value'] === 'string' ? role['value'] : JSON.stringify(role);
