import { setImmediate } from 'node:timers/promises';
import type { JsonObject } from '../../scim/json.ts';
import { createFairSemaphore } from '../../shared/fair-semaphore.ts';
import { hides } from '../directories/hiding.ts';
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
  /** How many of all users that would be, if the others are like these. */
  estimated: number;
  /** Whether there are users that were not looked at. */
  isPartial: boolean;
  /** How many of these have no value, by the name of the attribute. */
  missing: Map<string, number>;
  samples: { id: string; customAttributes: JsonObject; former: JsonObject | undefined }[];
}

const maxChecked = 1_000;
const usersPerPage = 100;
/** About 200 ms. */
const maxSteps = 1_000_000;

interface PreviewOptions {
  /** How many users to show. */
  limit: number;
  /** Aborted when the caller leaves. */
  signal: AbortSignal;
}

/** One preview at a time: others wait for their turn. */
export function createPreviewMapping({ users }: { users: Pick<UserStore, 'listAcross'> }) {
  const turns = createFairSemaphore({
    name: 'mapping previews',
    concurrency: 1,
    perDirectory: 1,
    maxWaiting: 100,
    maxWaitingPerDirectory: 5,
  });

  return async function previewMapping(directoryId: string, directory: DirectoryMapping, options: PreviewOptions): Promise<MappingPreview> {
    const leave = await turns.enter(directoryId, options.signal);
    try {
      return await preview(directoryId, directory, options);
    } finally {
      leave();
    }
  };

  async function preview(
    directoryId: string,
    { users: total, hiding, ...rules }: DirectoryMapping,
    { limit, signal }: PreviewOptions,
  ): Promise<MappingPreview> {
    const compute = compileAttributes(rules);
    let steps = 0;
    const found: MappingPreview = {
      users: total,
      checked: 0,
      changed: 0,
      estimated: 0,
      isPartial: false,
      missing: new Map(rules.schema.map(({ name }) => [name, 0])),
      samples: [],
    };
    let after: RowPosition | undefined;
    do {
      const page = await users.listAcross([directoryId], {
        page: after ? { limit: usersPerPage, after } : { limit: usersPerPage, offset: 0 },
      });
      for (const user of page.resources) {
        // A computation may take milliseconds: others come first.
        await setImmediate();
        signal.throwIfAborted();
        const { customAttributes, ...computed } = compute(user.resource);
        steps += computed.steps;
        found.checked += 1;
        for (const [name, count] of found.missing) if (!Object.hasOwn(customAttributes, name)) found.missing.set(name, count + 1);
        if (!hides(hiding, user) && !isSameAttributes(user.customAttributes, customAttributes)) found.changed += 1;
        if (found.samples.length < limit) found.samples.push({ id: publicIdOf(user), customAttributes, former: user.customAttributes });
        if (steps >= maxSteps) break;
      }
      after = page.next;
    } while (after && found.checked < maxChecked && steps < maxSteps);
    found.isPartial = after !== undefined || found.checked < total;
    found.estimated = found.isPartial && found.checked > 0 ? Math.round((found.changed / found.checked) * total) : found.changed;
    return found;
  }
}
