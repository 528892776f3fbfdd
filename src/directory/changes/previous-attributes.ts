import { weigh, type Budget } from '../../scim/budget.ts';
import { emptyFor, getOwn, isObject, isSameJson, type JsonObject, setOwn } from '../../scim/json.ts';
import { withoutCoreSchema } from '../../scim/pushed.ts';
import { userType } from '../../scim/schema/resource-types.ts';
import type { GroupProfile } from '../resources/group.ts';
import type { UserProfile } from '../resources/user.ts';

type Profile = UserProfile | GroupProfile;

/**
 * The attributes of a profile that differ from the next one, with their former values; null if there was none. Of `raw`, which may be large,
 * only what differs inside it.
 */
export function findPreviousAttributes<One extends Profile>(former: One, next: One, budget: Budget): JsonObject {
  const { raw, ...own } = former;
  const { raw: nextRaw, ...nextOwn } = next;
  const previous = compareObjects(own, nextOwn, budget);
  const ofRaw = compareObjects(withoutEchoes(raw), withoutEchoes(nextRaw), budget);
  return Object.keys(ofRaw).length > 0 ? { ...previous, raw: ofRaw } : previous;
}

/** Providers send back what they have read: these are Rollcall's own, and differ each time. */
const echoed = new Set(['meta', 'groups', 'id', 'members']);

function withoutEchoes(raw: JsonObject): JsonObject {
  const kept = { ...raw };
  for (const name of Object.keys(kept)) if (echoed.has(withoutCoreSchema(name, userType).toLowerCase())) delete kept[name];
  return kept;
}

function compareObjects(former: JsonObject, next: JsonObject, budget: Budget): JsonObject {
  const names = new Set([...Object.keys(former), ...Object.keys(next)]);
  budget.spend(names.size);
  const previous = emptyFor(former);
  for (const name of names) {
    const [one, other] = [getOwn(former, name), getOwn(next, name)];
    if (one === other) continue;
    if (isObject(one) && isObject(other)) {
      const inside = compareObjects(one, other, budget);
      if (Object.keys(inside).length > 0) setOwn(previous, name, inside);
    } else if (!isSameValue(one, other, budget)) setOwn(previous, name, one ?? null);
  }
  return previous;
}

/** Lists have no order (RFC 7643, section 2.4): the same values in another order are no change. */
function isSameValue(one: unknown, other: unknown, budget: Budget): boolean {
  const [weight, otherWeight] = [weigh(one), weigh(other)];
  budget.spend(weight + otherWeight);
  if (isSameJson(one, other)) return true;
  // The same values in another order have the same weight.
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length || weight !== otherWeight) return false;
  budget.spend(2 * (weight + otherWeight));
  return isSameJson(inOrder(one), inOrder(other));
}

const inOrder = (values: unknown[]): string[] => values.map((value) => JSON.stringify(value, sortNames)).sort();

const sortNames = (_name: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))) : value;
