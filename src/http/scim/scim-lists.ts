import type { ResourceQuery } from '../../directory/ports.ts';
import { createYieldToEventLoop } from '../../shared/yield-to-event-loop.ts';
import type { Cursors, Position } from '../../scim/cursor.ts';
import type { JsonObject } from '../../scim/json.ts';
import { type ListRequest, toCursorScope, toListResponse } from '../../scim/list.ts';
import type { ResourceType } from '../../scim/schema/attribute.ts';
import type { ScimReader } from './scim-reader.ts';
import { projectResource } from './presenter.ts';

/** The request for one of the types in a list. A filter is resolved separately for each type. */
type TypedRequest = ListRequest & { type: ResourceType };

/** The directory, and the caller for whom it is read. */
interface ListCaller {
  directoryId: string;
  /** Aborted when the caller leaves. */
  signal: () => AbortSignal;
}

export type ScimLists = ReturnType<typeof createScimLists>;

export function createScimLists({ reader, cursors }: { reader: ScimReader; cursors: Cursors }) {
  return {
    /** Lists the resources of the first type, then those of the next. */
    list(caller: ListCaller, requests: TypedRequest[]) {
      const { page } = requests[0]!;
      return page.kind === 'index' ? listByIndex(caller, requests, page) : listByCursor(caller, requests, page);
    },
  };

  async function listByIndex(caller: ListCaller, requests: TypedRequest[], { startIndex, count }: { startIndex: number; count: number }) {
    const presented: JsonObject[] = [];
    let total = 0;
    let isCut = false;
    for (const request of requests) {
      // After a page that ended early, the other types belong on the next page.
      const page = { offset: Math.max(0, startIndex - 1 - total), limit: isCut ? 0 : count - presented.length };
      const found = await read(caller, request, page);
      presented.push(...found.presented);
      total += found.total;
      isCut ||= found.next !== undefined;
    }
    return toListResponse(presented, { total, startIndex });
  }

  async function listByCursor(caller: ListCaller, requests: TypedRequest[], { cursor, count }: { cursor: string; count: number }) {
    const scope = requests.map((request) => toCursorScope(caller.directoryId, request.type.name, request)).join('\n');
    const position = cursor === '' ? undefined : cursors.read(cursor, scope);
    const first = Math.max(
      0,
      requests.findIndex(({ type }) => type.name === position?.resourceType),
    );
    const presented: JsonObject[] = [];
    let total = 0;
    let next: Position | undefined;
    for (const [index, request] of requests.entries()) {
      const limit = index < first || next ? 0 : count - presented.length;
      const found = await read(caller, request, { after: index === first ? startOf(position) : undefined, limit });
      presented.push(...found.presented);
      total += found.total;
      if (limit > 0 && found.next) next = { ...found.next, resourceType: request.type.name };
      else if (index > first && limit === 0 && !next && count > 0 && found.total > 0) next = { id: '', resourceType: request.type.name };
    }
    return toListResponse(presented, { total, ...(next && { nextCursor: cursors.write(next, scope) }) });
  }

  async function read(
    { directoryId, signal }: ListCaller,
    { type, filter, sortBy, sortOrder, projection }: TypedRequest,
    page: ResourceQuery['page'],
  ) {
    const sort = sortBy && { path: sortBy, descending: sortOrder === 'descending' };
    const { resources, ...rest } = await reader.list(type.name, directoryId, { filter, sort, page }, { projection, signal });
    const presented: JsonObject[] = [];
    const check = () => signal().throwIfAborted();
    const pause = createYieldToEventLoop(check);
    for (const resource of resources) {
      presented.push(await projectResource(resource, { projection, type, check }));
      const pausing = pause();
      if (pausing) await pausing;
    }
    return { ...rest, presented };
  }
}

/** A position without an ID is the beginning of a type. */
const startOf = (position: Position | undefined) => (position?.id ? position : undefined);
