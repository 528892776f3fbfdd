import type { Command } from 'commander';
import type { AttributeMapping, AttributeMappingRequest, AttributeSchema, AttributeSchemaRequest } from '../client/index.ts';
import { createCommandAdder, type Select } from './command.ts';
import type { Context, ParsedCommand } from './connection.ts';
import { readJsonFile } from './read-json-file.ts';
import { directoryArgument, fileOption, productOption, sampleIds, withSample } from './options.ts';
import type { Printer } from './output/printer.ts';
import { noWaitOption, printUnfinished, printWouldUpdate, samplesOption, untilRecomputed, type WaitOptions } from './recomputed.ts';

const sample = 'mapping.json';
const mappingFile = (what = 'JSON file with the mapping, such as {"attributes":{"job_title":{"path":"title"}}}') =>
  withSample(sample, fileOption('--file <file>', what));

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
    options: [mappingFile().makeOptionMandatory(), noWaitOption()],
    examples: [`rollcall mapping set ${sampleIds.directory} --file mapping.json`],
    validate: (parsed: ParsedCommand<SetOptions>) => readJsonFile<AttributeMappingRequest>(parsed.options.file!, sample),
    action: setMapping,
  });
  add({
    name: 'preview',
    summary: 'Show what a mapping would change, without storing it',
    arguments: [directoryArgument()],
    options: [mappingFile('JSON file with the mapping to try (default: the present mapping)'), samplesOption()],
    examples: [`rollcall mapping preview ${sampleIds.directory} --file mapping.json`],
    validate: async ({ options: { file } }: ParsedCommand<PreviewOptions>) =>
      file === undefined ? undefined : readJsonFile<AttributeMappingRequest>(file, sample),
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
      file === undefined ? undefined : readJsonFile<Omit<AttributeSchemaRequest, 'product'>>(file, sample),
    action: showOrSetSchema,
  });
}

interface SetOptions extends FileOptions, WaitOptions {}

async function setMapping(context: Context<SetOptions, AttributeMappingRequest>): Promise<void> {
  const {
    args: [directory],
    options,
    input,
    client,
    unwrap,
    print,
  } = context;
  const stored = await unwrap(client.attributes.setMapping(directory!, input));
  const mapping = await untilRecomputed(context, stored, () => client.attributes.getMapping(directory!));
  if (options.json) print.json(mapping);
  else printMapping(print, mapping);
}

function printMapping(print: Printer, mapping: AttributeMapping): void {
  const { effective } = mapping;
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
  printUnfinished(print, mapping);
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
  printWouldUpdate(print, preview);
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
