import type { Budget } from '../../scim/budget.ts';
import { isSameJson, type JsonObject } from '../../scim/json.ts';
import { type PushedOperation, patchPushed } from '../../scim/patch/patch-pushed.ts';
import { type Documents, type Pushed, comparePushed, toRaw } from '../../scim/pushed.ts';
import type { ResourceType } from '../../scim/schema/attribute.ts';

type WithPushed<Next> = Next & { pushed: Pushed | undefined };

/**
 * Adds how the pushed document differs from the resource that was made of it. The change has compared the document with the resource as it was
 * read, but the one that was made may have kept attributes that were not pushed.
 */
export const withPushed = <Next extends { resource: JsonObject }>(
  next: Next,
  { resource, pushed }: Documents,
  budget: Budget,
): WithPushed<Next> => {
  const compared = pushed && comparePushed(next.resource, toRaw(resource, pushed), budget);
  return { ...next, pushed: pushed?.shown ? { ...compared, shown: pushed.shown } : compared };
};

/** Adds how the pushed document differs after a PATCH. Changes from before a document was kept have no `operations`. */
export function withPatched<Next extends { resource: JsonObject }>(
  next: Next,
  former: Documents,
  { operations, type, budget }: { operations: PushedOperation[] | undefined; type: ResourceType; budget: Budget },
): WithPushed<Next> {
  if (!operations) return { ...next, pushed: undefined };
  const raw = patchPushed(toRaw(former.resource, former.pushed), operations, { resource: next.resource, type, budget });
  return { ...next, pushed: comparePushed(next.resource, raw, budget) };
}

/** What an application was shown of an imported user stays until a PATCH concerns it, as in Polis. */
export function keepShown<Next extends WithPushed<{ resource: JsonObject }>>({ resource, pushed: former }: Documents, next: Next): Next {
  if (!former?.shown) return next;
  const isSame = (name: string) => isSameJson(resource[name], next.resource[name]);
  const { email, ...names } = former.shown;
  const shown = { ...(email !== undefined && isSame('emails') && isSame('userName') && { email }), ...(isSame('name') && names) };
  return Object.keys(shown).length === 0 ? next : { ...next, pushed: { ...next.pushed, shown } };
}
