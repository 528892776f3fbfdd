import type { JsonObject } from '../../scim/json.ts';
import { publicIdOf } from '../resources/resource-ids.ts';
import { compileAttributes, isSameAttributes } from './compute-attributes.ts';
import type { DirectoryMapping } from './ports.ts';
import { createPreviewNewest, type PreviewCounts, type PreviewedUsers, type PreviewOptions } from './preview-newest.ts';

export interface MappingPreview extends PreviewCounts {
  /** How many of those that were looked at have no value, by the name of the attribute. */
  missing: Map<string, number>;
  samples: { id: string; customAttributes: JsonObject; former: JsonObject | undefined }[];
}

/** About 200 ms. */
const maxSteps = 1_000_000;

export function createPreviewMapping({ users }: { users: PreviewedUsers }) {
  const previewNewest = createPreviewNewest({ name: 'mapping previews', users });

  return async function previewMapping(
    directoryId: string,
    directory: DirectoryMapping,
    { limit, signal }: PreviewOptions,
  ): Promise<MappingPreview> {
    const compute = compileAttributes(directory);
    const missing = new Map(directory.schema.map(({ name }) => [name, 0]));
    const samples: MappingPreview['samples'] = [];
    let steps = 0;
    const counts = await previewNewest(
      directoryId,
      directory,
      {
        beginPage: () => (user) => {
          const { customAttributes, ...computed } = compute(user.resource);
          steps += computed.steps;
          for (const [name, count] of missing) if (!Object.hasOwn(customAttributes, name)) missing.set(name, count + 1);
          if (samples.length < limit) samples.push({ id: publicIdOf(user), customAttributes, former: user.customAttributes });
          return !isSameAttributes(user.customAttributes, customAttributes);
        },
        mayContinue: () => steps < maxSteps,
      },
      signal,
    );
    return { ...counts, missing, samples };
  };
}
