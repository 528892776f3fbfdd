import { subscribe } from 'node:diagnostics_channel';
import { createAsyncScope } from '../shared/async-scope.ts';
import { createErrorResponse, type ErrorResponse, type PaginationParams } from './response.ts';

/** Whose data a call reads. */
interface Owner {
  tenant: string;
  product: string;
}

export interface Selector extends PaginationParams {
  directoryId?: string | undefined;
}

/** The query of a call, limited to its owner. */
export type Selected = Partial<Owner> & { directoryId?: string; pageOffset?: number; pageLimit?: number };

export interface OwnerScope {
  /** Remembers the owner, and returns one that does not change. */
  set(tenant: string, product: string): OwnerScope;
  /** Notes that a request of this directory was handled: Polis remembers its owner too. */
  handled(directoryId: string): void;
  /** An error if it is not known whose data is meant. */
  select(given?: Selector): Selected | ErrorResponse;
}

export const isError = (selected: Selected | ErrorResponse): selected is ErrorResponse => 'error' in selected;

/** The owner that each object was given by the caller. */
const ofCaller = createAsyncScope<ReadonlyMap<object, Owner>>();

/** What a handler enters can stay on its connection, where the next request would find it. */
subscribe('http.server.request.start', () => ofCaller.get() && ofCaller.leave());

/**
 * Remembers what `setTenantAndProduct` was called with, for later calls on the same object. Polis keeps it on an object that all callers
 * share, so that two requests at once may read each other's tenants. Here, each asynchronous caller has its own. A caller that has set
 * nothing gets what the object was given only if that was always the same.
 */
export function createOwnerScope(): OwnerScope {
  const onObject = createSoleValue<Owner>((one, other) => one.tenant === other.tenant && one.product === other.product);
  const handled = createSoleValue<string>((one, other) => one === other);
  const object = {};

  return {
    set(tenant, product) {
      const owner = { tenant, product };
      ofCaller.enter(new Map(ofCaller.get()).set(object, owner));
      onObject.note(owner);
      return createFixedScope(owner);
    },
    handled: handled.note,
    select(given = {}) {
      const owner = ofCaller.get()?.get(object) ?? onObject.get();
      if (owner || given.directoryId !== undefined) return { ...owner, ...toQuery(given) };
      const directoryId = onObject.isEmpty() ? handled.get() : undefined;
      return directoryId === undefined ? unknownOwner(!onObject.isEmpty()) : { directoryId, ...toQuery(given) };
    },
  };
}

function createFixedScope(owner: Owner): OwnerScope {
  return {
    set: (tenant, product) => createFixedScope({ tenant, product }),
    handled: () => undefined,
    select: (given = {}) => ({ ...owner, ...toQuery(given) }),
  };
}

/** Keeps a value as long as it is the only one. */
function createSoleValue<Value>(isSame: (one: Value, other: Value) => boolean) {
  let sole: { value: Value } | 'several' | undefined;
  return {
    isEmpty: () => sole === undefined,
    get: () => (typeof sole === 'object' ? sole.value : undefined),
    note(value: Value): void {
      sole ??= { value };
      if (sole !== 'several' && !isSame(sole.value, value)) sole = 'several';
    },
  };
}

const toQuery = ({ directoryId, pageOffset, pageLimit }: Selector) => ({
  ...(directoryId !== undefined && { directoryId }),
  ...(pageOffset !== undefined && { pageOffset }),
  ...(pageLimit !== undefined && { pageLimit }),
});

const unknownOwner = (hasSeveral: boolean): ErrorResponse =>
  createErrorResponse(
    `Call setTenantAndProduct first${hasSeveral ? ' in each request, since it has been called with several tenants' : ''}, and the other ` +
      "calls on its result, for example users.setTenantAndProduct('acme', 'crm').getAll().",
  );
