import { readFile } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import type { AttributeMapping, AttributeMappingRequest, AttributeSchema, AttributeSchemaRequest } from '../client/index.ts';
import { createCommandAdder, type Select } from './command.ts';
import type { Context, ParsedCommand } from './connection.ts';
import { UsageError } from './errors.ts';
import { directoryArgument, fileOption, integerOption, productOption, sampleIds, withSample } from './options.ts';
import { pluralize } from './output/format.ts';
import type { Printer } from './output/printer.ts';
import { createProgress } from './output/progress.ts';
import { pollUntilFinished } from './poll-until-finished.ts';

const mappingFile = (what = 'JSON file with the mapping, such as {"attributes":{"job_title":{"path":"title"}}}') =>
  withSample('mapping.json', fileOption('--file <file>', what));

interface FileOptions {
  file?: string;
}

/** Where the custom attributes of users come from. */
export function registerMapping(parent: Command, select: Select): void {
  const add = createCommandAdder(parent, select);
  add({
    name: 'show',
    summary: 'Show where the attributes of a directory come from',
    arguments: [directoryArgument()],
    examples: [`rollcall mapping show ${sampleIds.directory}`],
    action: async ({ args: [directory], options, client, unwrap, print }: Context) => {
      const mapping = await unwrap(client.attributes.getMapping(directory!));
      if (options.json) print.json(mapping);
      else printMapping(print, mapping);
    },
  });
  add({
    name: 'set',
    summary: 'Replace the mapping of a directory, and compute the attributes of its users',
    arguments: [directoryArgument()],
    options: [mappingFile().makeOptionMandatory(), new Option('--no-wait', 'do not wait until all users are computed')],
    examples: [`rollcall mapping set ${sampleIds.directory} --file mapping.json`],
    validate: (parsed: ParsedCommand<SetOptions>) => readJson<AttributeMappingRequest>(parsed.options.file!),
    action: setMapping,
  });
  add({
    name: 'preview',
    summary: 'Show what a mapping would change, without storing it',
    arguments: [directoryArgument()],
    options: [
      mappingFile('JSON file with the mapping to try (default: the present mapping)'),
      integerOption('--limit <n>', 'how many users to show (default: 5)', { min: 1, max: 20 }),
    ],
    examples: [`rollcall mapping preview ${sampleIds.directory} --file mapping.json`],
    validate: async ({ options: { file } }: ParsedCommand<PreviewOptions>) =>
      file === undefined ? undefined : readJson<AttributeMappingRequest>(file),
    action: previewMapping,
  });
  add({
    name: 'schema',
    summary: 'Show or replace the attributes of a product',
    options: [
      productOption().makeOptionMandatory(),
      mappingFile('JSON file with the new attributes, such as {"attributes":[{"name":"job_title"}]}'),
    ],
    examples: ['rollcall mapping schema --product crm', 'rollcall mapping schema --product crm --file schema.json'],
    validate: async ({ options: { file } }: ParsedCommand<SchemaOptions>) =>
      file === undefined ? undefined : readJson<Omit<AttributeSchemaRequest, 'product'>>(file),
    action: showOrSetSchema,
  });
}

async function readJson<Content>(file: string): Promise<Content> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`Cannot read --file ${file} (${error.code}). Example: --file mapping.json`);
  });
  try {
    return JSON.parse(text) as Content;
  } catch {
    throw new UsageError(`--file ${file} is not valid JSON. Example: --file mapping.json`);
  }
}

interface SetOptions extends FileOptions {
  wait: boolean;
}

async function setMapping(context: Context<SetOptions, AttributeMappingRequest>): Promise<void> {
  const {
    args: [directory],
    options,
    input,
    shell,
    client,
    unwrap,
    print,
    errorContext,
  } = context;
  const stored = await unwrap(client.attributes.setMapping(directory!, input));
  const progress = createProgress(shell);
  const mapping = options.wait
    ? await pollUntilFinished({
        read: () => client.attributes.getMapping(directory!),
        isFinished: ({ recompute }) => recompute?.state !== 'running',
        show: ({ recompute }) =>
          progress.show({ text: recompute ? `Computed ${recompute.done} of ${pluralize(recompute.total, 'user')}` : '' }),
        progress,
        errorContext,
      })
    : stored;
  if (options.json) print.json(mapping);
  else printMapping(print, mapping);
}

function printMapping(print: Printer, { effective, recompute }: AttributeMapping): void {
  if (effective.length === 0) print.line('The product has no attributes. Add some with: rollcall mapping schema');
  else
    print.table(
      [
        { title: 'ATTRIBUTE', value: ({ name }) => name },
        { title: 'TYPE', value: typeOf },
        { title: 'REQUIRED', value: ({ required }) => (required ? 'yes' : '') },
        { title: 'SOURCE', value: ({ source }) => (source ? JSON.stringify(source) : 'none'), mayShrink: true },
        { title: 'DEFAULT', value: ({ is_default: isDefault }) => (isDefault ? 'yes' : '') },
      ],
      effective,
    );
  if (recompute?.state === 'running')
    print.line(`Computed ${recompute.done} of ${pluralize(recompute.total, 'user')}. It continues in the background.`);
}

const typeOf = ({ type, multi_valued: isList }: { type: string; multi_valued: boolean }) => (isList ? `${type}[]` : type);

interface PreviewOptions extends FileOptions {
  limit?: number;
}

async function previewMapping({
  args: [directory],
  options,
  input,
  client,
  unwrap,
  print,
}: Context<PreviewOptions, AttributeMappingRequest | undefined>): Promise<void> {
  const preview = await unwrap(
    client.attributes.preview(directory!, { ...input, ...(options.limit !== undefined && { limit: options.limit }) }),
  );
  if (options.json) return print.json(preview);
  print.line(`Looked at ${preview.checked} of ${pluralize(preview.users, 'user')}: ${preview.would_update} would get a user.updated.`);
  if (preview.is_partial) print.line(`If the others are like these, ${preview.estimated_updates} of all users would get one.`);
  print.fields(Object.entries(preview.missing).map(([name, count]) => [`Without ${name}`, count]));
  for (const { id, custom_attributes: attributes } of preview.samples) print.line(`${id} ${JSON.stringify(attributes)}`);
}

interface SchemaOptions extends FileOptions {
  product: string;
}

async function showOrSetSchema({
  options: { product, json },
  input,
  client,
  unwrap,
  print,
}: Context<SchemaOptions, Omit<AttributeSchemaRequest, 'product'> | undefined>): Promise<void> {
  const schema: AttributeSchema = await unwrap(
    input ? client.attributes.setSchema({ ...input, product }) : client.attributes.getSchema({ product }),
  );
  if (json) return print.json(schema);
  if (schema.attributes.length === 0) return print.line(`The product ${product} has no attributes.`);
  print.table(
    [
      { title: 'ATTRIBUTE', value: ({ name }) => name },
      { title: 'TYPE', value: typeOf },
      { title: 'REQUIRED', value: ({ required }) => (required ? 'yes' : '') },
    ],
    schema.attributes,
  );
}
