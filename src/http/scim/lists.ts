import type { ResourceQuery } from '../../directory/ports.ts';
import { createPause } from '../../shared/pause.ts';
import type { Cursors, Position } from '../../scim/cursor.ts';
import type { JsonObject } from '../../scim/json.ts';
import { toCursorScope, type ListRequest } from '../../scim/list-request.ts';
import { toListResponse } from '../../scim/list.ts';
import type { ResourceType } from '../../scim/schema/attribute.ts';
import { projectResource } from './project-resource.ts';
import type { ScimReader } from './reader.ts';

/** What is asked of each of the types that one list runs through: a filter means something else for each. */
export type TypedRequest = ListRequest & { type: ResourceType };

/** Whose list it is. */
interface Asked {
  directoryId: string;
  /** Aborted once the caller has left. */
  signal: () => AbortSignal;
}

export type ScimLists = ReturnType<typeof createScimLists>;

export function createScimLists({ reader, cursors }: { reader: ScimReader; cursors: Cursors }) {
  return {
    /** Lists the resources of the first type, then those of the next. */
    list(asked: Asked, requests: TypedRequest[]) {
      const { page } = requests[0]!;
      return page.kind === 'index' ? listByIndex(asked, requests, page) : listByCursor(asked, requests, page);
    },
  };

  async function listByIndex(asked: Asked, requests: TypedRequest[], { startIndex, count }: { startIndex: number; count: number }) {
    const shown: JsonObject[] = [];
    let total = 0;
    let isCut = false;
    for (const request of requests) {
      // What comes after a page that ended early belongs on the next one.
      const page = { offset: Math.max(0, startIndex - 1 - total), limit: isCut ? 0 : count - shown.length };
      const found = await read(asked, request, page);
      shown.push(...found.shown);
      total += found.total;
      isCut ||= found.next !== undefined;
    }
    return toListResponse(shown, { total, startIndex });
  }

  async function listByCursor(asked: Asked, requests: TypedRequest[], { cursor, count }: { cursor: string; count: number }) {
    const scope = requests.map((request) => toCursorScope(asked.directoryId, request.type.name, request)).join('\n');
    const position = cursor === '' ? undefined : cursors.read(cursor, scope);
    const first = Math.max(
      0,
      requests.findIndex(({ type }) => type.name === position?.resourceType),
    );
    const shown: JsonObject[] = [];
    let total = 0;
    let next: Position | undefined;
    for (const [index, request] of requests.entries()) {
      const limit = index < first || next ? 0 : count - shown.length;
      const found = await read(asked, request, { after: index === first ? startOf(position) : undefined, limit });
      shown.push(...found.shown);
      total += found.total;
      if (limit > 0 && found.next) next = { ...found.next, resourceType: request.type.name };
      else if (index > first && limit === 0 && !next && count > 0 && found.total > 0) next = { id: '', resourceType: request.type.name };
    }
    return toListResponse(shown, { total, ...(next && { nextCursor: cursors.write(next, scope) }) });
  }

  async function read(
    { directoryId, signal }: Asked,
    { type, filter, sortBy, sortOrder, projection }: TypedRequest,
    page: ResourceQuery['page'],
  ) {
    const sort = sortBy && { path: sortBy, descending: sortOrder === 'descending' };
    const { resources, ...rest } = await reader.list(type.name, directoryId, { filter, sort, page }, { projection, signal });
    const shown: JsonObject[] = [];
    const check = () => signal().throwIfAborted();
    const pause = createPause(check);
    for (const resource of resources) {
      shown.push(await projectResource(resource, { projection, type, check }));
      const pausing = pause();
      if (pausing) await pausing;
    }
    return { ...rest, shown };
  }
}

/** Without an id it is the beginning of a type. */
const startOf = (position: Position | undefined) => (position?.id ? position : undefined);
