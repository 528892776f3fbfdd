import type { Budget } from '../../scim/budget.ts';
import { isSameJson, type JsonObject } from '../../scim/json.ts';
import { type PushedOperation, patchPushed } from '../../scim/patch/patch-pushed.ts';
import { type Documents, type Pushed, comparePushed, toRaw } from '../../scim/pushed.ts';
import type { ResourceType } from '../../scim/schema/attribute.ts';

/** How a pushed document differs from the resource that was made of it, which may have kept attributes that were not pushed. */
export const settlePushed = ({ resource, pushed }: Documents, made: JsonObject, budget: Budget): Pushed | undefined =>
  pushed && comparePushed(made, toRaw(resource, pushed), budget);

/** The same after a PATCH. */
export function settlePatched(
  former: Documents,
  operations: PushedOperation[] | undefined,
  { made, type, budget }: { made: JsonObject; type: ResourceType; budget: Budget },
): Pushed | undefined {
  if (!operations) return undefined;
  const raw = toRaw(former.resource, former.pushed);
  return comparePushed(made, patchPushed(raw, operations, { resource: made, type, budget }), budget);
}

/** What an application was shown of an imported user stays until a PATCH concerns it, as in Polis. */
export function keepShown({ resource, pushed: former }: Documents, next: JsonObject, pushed: Pushed | undefined): Pushed | undefined {
  if (!former?.shown) return pushed;
  const isSame = (name: string) => isSameJson(resource[name], next[name]);
  const { email, ...names } = former.shown;
  const shown = { ...(email !== undefined && isSame('emails') && isSame('userName') && { email }), ...(isSame('name') && names) };
  return Object.keys(shown).length === 0 ? pushed : { ...pushed, shown };
}
