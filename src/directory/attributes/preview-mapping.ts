import { createBudget } from '../../scim/budget.ts';
import { OverBudgetError } from '../../scim/errors.ts';
import type { JsonObject } from '../../scim/json.ts';
import type { RowPosition, UserStore } from '../ports.ts';
import { publicIdOf } from '../resources/resource-ids.ts';
import { compileAttributes, isSameAttributes } from './compute-attributes.ts';
import type { DirectoryMapping } from './ports.ts';

export interface MappingPreview {
  users: number;
  /** How many of them were looked at: the newest ones. */
  checked: number;
  /** How many of these would be told by a `user.updated`. */
  changed: number;
  /** How many of these have no value, by the name of the attribute. */
  missing: Map<string, number>;
  samples: { id: string; customAttributes: JsonObject; former: JsonObject | undefined }[];
}

const maxChecked = 1_000;
const usersPerPage = 100;
/** About one second. */
const maxSteps = 5_000_000;

export function createPreviewMapping({ users }: { users: Pick<UserStore, 'listAcross'> }) {
  return async function previewMapping(
    directoryId: string,
    { users: total, inactiveUsers, ...rules }: DirectoryMapping,
    { limit }: { limit: number },
  ): Promise<MappingPreview> {
    const compute = compileAttributes(rules);
    const budget = createBudget({ maxSteps, maxBytes: Infinity });
    const preview: MappingPreview = {
      users: total,
      checked: 0,
      changed: 0,
      missing: new Map(rules.schema.map(({ name }) => [name, 0])),
      samples: [],
    };
    let after: RowPosition | undefined;
    try {
      do {
        const page = await users.listAcross([directoryId], {
          page: after ? { limit: usersPerPage, after } : { limit: usersPerPage, offset: 0 },
        });
        for (const user of page.resources) {
          const { customAttributes } = compute(user.resource, budget);
          preview.checked += 1;
          for (const [name, count] of preview.missing) if (!Object.hasOwn(customAttributes, name)) preview.missing.set(name, count + 1);
          const isHidden = inactiveUsers === 'delete' && !user.active;
          if (!isHidden && !isSameAttributes(user.customAttributes, customAttributes)) preview.changed += 1;
          if (preview.samples.length < limit)
            preview.samples.push({ id: publicIdOf(user), customAttributes, former: user.customAttributes });
        }
        after = page.next;
      } while (after && preview.checked < maxChecked);
    } catch (error) {
      if (!(error instanceof OverBudgetError)) throw error;
    }
    return preview;
  };
}
