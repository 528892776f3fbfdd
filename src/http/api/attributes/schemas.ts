import { z } from 'zod';
import { type CustomAttribute, attributeTypes, maxAttributes } from '../../../directory/attributes/attribute.ts';
import { sourcesOf } from '../../../directory/attributes/compute-attributes.ts';
import type { DirectoryMapping } from '../../../directory/attributes/ports.ts';
import type { MappingPreview } from '../../../directory/attributes/preview-mapping.ts';
import { letterCases, maxOrigins, maxPathLength, type Source } from '../../../directory/attributes/source.ts';
import { countFields, presentCounts, sampleLimit } from '../preview-fields.ts';
import { presentRecompute, recomputeSchema, repeats } from '../recompute-fields.ts';
import { count, exampleId, field, text } from '../schema-fields.ts';
import { product } from '../selector.ts';

const name = z
  .string('must be a string')
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must have 1 to 64 characters from a-z, 0-9 and _, beginning with a letter');
const type = z.enum(attributeTypes, `must be one of ${attributeTypes.join(', ')}`);
const flag = z.boolean('must be true or false');

export const attributeSchemaRequest = z
  .object({
    product,
    attributes: z
      .array(
        z.strictObject({
          name: name.meta({ description: 'What applications see it as. A predefined name needs nothing else.', examples: ['job_title'] }),
          type: type.optional().meta({ description: 'Required unless the attribute is predefined.', examples: ['string'] }),
          multi_valued: flag.optional().meta({ description: 'Whether it is a list of all values; default: false.', examples: [false] }),
          required: flag.optional().meta({
            description: 'Whether users without it are counted in the health of their directory; default: false.',
            examples: [true],
          }),
        }),
        'must be an array',
      )
      .max(maxAttributes, `may have at most ${maxAttributes} entries`)
      .meta({ description: 'The attributes, in the order in which they are shown. Empty: users have no `custom_attributes`.' }),
    recompute: repeats,
  })
  .meta({ id: 'AttributeSchemaRequest', description: 'The attributes of the users of a product.' });

const origin = {
  path: text
    .min(1, 'must not be empty')
    .max(maxPathLength, `may have at most ${maxPathLength} characters`)
    .optional()
    .meta({ description: 'Where the value is in the user, as SCIM writes it.', examples: ['title'] }),
  constant: z
    .union(
      [text.max(maxPathLength, `may have at most ${maxPathLength} characters`), z.number(), z.boolean()],
      'must be a string, a number or a boolean',
    )
    .optional()
    .meta({ description: 'The value of all users.' }),
};
const originSchema = z
  .strictObject(origin)
  .refine(({ path, constant }) => (path === undefined) !== (constant === undefined), 'must have either path or constant');

const sourceSchema = z
  .strictObject({
    ...origin,
    first_of: z
      .array(originSchema, 'must be an array')
      .min(1, 'must not be empty')
      .max(maxOrigins, `may have at most ${maxOrigins} entries`)
      .optional()
      .meta({ description: 'The first of these that has a value.' }),
    case: z
      .enum(letterCases, `must be one of ${letterCases.join(', ')}`)
      .optional()
      .meta({ description: 'Folds the letters of a string.' }),
  })
  .refine(
    (given) => [given.path, given.constant, given.first_of].filter((one) => one !== undefined).length === 1,
    'must have one of path, constant and first_of',
  )
  .meta({ id: 'AttributeSource', description: 'Where the value of an attribute comes from.', examples: [{ path: 'title' }] });

const mapping = z
  .record(name, sourceSchema.nullable())
  .refine((given) => Object.keys(given).length <= maxAttributes, `may have at most ${maxAttributes} entries`)
  .meta({
    description: 'Sources by the name of the attribute. Null: no value. A predefined attribute that is left out has its default source.',
    examples: [{ job_title: { path: 'title' } }],
  });

export const mappingRequest = z
  .object({ attributes: mapping, recompute: repeats })
  .meta({ id: 'AttributeMappingRequest', description: 'Where the attributes of a directory come from.' });

export const previewRequest = z
  .object({
    attributes: mapping.optional(),
    limit: sampleLimit,
  })
  .meta({ id: 'MappingPreviewRequest', description: 'A mapping to try; default: the present one.' });

/** The schema has checked that each has what it must have. */
export const toMapping = (given: z.output<typeof mapping>) => given as Record<string, Source | null>;

const attributeFields = {
  name: field(z.string(), 'What applications see it as.', 'job_title'),
  type: field(z.enum(attributeTypes), 'The type of the value, or of each value of a list.', 'string'),
  multi_valued: field(z.boolean(), 'Whether it is a list of all values.', false),
  required: field(z.boolean(), 'Whether users without it are counted in the health of their directory.', true),
};

export const attributeSchemaSchema = z
  .strictObject({
    product: field(z.string(), 'The application.', 'crm'),
    attributes: z.array(z.strictObject(attributeFields)).meta({ description: 'The attributes. Empty: users have no `custom_attributes`.' }),
  })
  .meta({ id: 'AttributeSchema', description: 'The attributes of the users of a product.' });

export const presentAttribute = ({ name: own, type: ownType, multiValued, required }: CustomAttribute) => ({
  name: own,
  type: ownType,
  multi_valued: multiValued,
  required,
});

export const mappingSchema = z
  .strictObject({
    attributes: mapping,
    effective: z
      .array(
        z.strictObject({
          ...attributeFields,
          source: sourceSchema.nullable().meta({ description: 'Where the value comes from. Null: nowhere.' }),
          is_default: field(z.boolean(), 'Whether that is the default source of the kind of identity provider.', true),
        }),
      )
      .meta({ description: 'All attributes of the product, with their sources in this directory.' }),
    recompute: recomputeSchema,
  })
  .meta({ id: 'AttributeMapping', description: 'Where the attributes of a directory come from.' });

export function presentMapping(directory: DirectoryMapping): z.output<typeof mappingSchema> {
  const sources = sourcesOf(directory);
  const { schema, mapping: own, recompute, users } = directory;
  return {
    attributes: own,
    effective: schema.map((attribute) => ({
      ...presentAttribute(attribute),
      source: (sources.get(attribute.name) as z.output<typeof sourceSchema> | undefined) ?? null,
      is_default: !Object.hasOwn(own, attribute.name) && sources.has(attribute.name),
    })),
    recompute: presentRecompute(recompute, users),
  };
}

const values = z.record(z.string(), z.unknown());

export const previewSchema = z
  .strictObject({
    ...countFields,
    missing: field(z.record(z.string(), count), 'How many of these have no value, by attribute.', { job_title: 3 }),
    samples: z
      .array(
        z.strictObject({
          id: field(z.string(), "The user's ID.", exampleId),
          custom_attributes: field(values, 'What the user would have.', { job_title: 'Engineer' }),
          present_attributes: field(values.nullable(), 'What the user has now. Null: none were computed.', null),
        }),
      )
      .meta({ description: 'Some of the users.' }),
  })
  .meta({ id: 'MappingPreview', description: 'What a mapping would change.' });

export const presentPreview = ({ missing, samples, ...counts }: MappingPreview): z.output<typeof previewSchema> => ({
  ...presentCounts(counts),
  missing: Object.fromEntries([...missing].filter(([, without]) => without > 0)),
  samples: samples.map(({ id, customAttributes, former }) => ({
    id,
    custom_attributes: customAttributes,
    present_attributes: former ?? null,
  })),
});
