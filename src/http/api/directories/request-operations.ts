import { z } from 'zod';
import { findSubjects } from '../../../directory/recorded-requests/find-subjects.ts';
import { requestOutcomes } from '../../../directory/recorded-requests/recorded-request.ts';
import { isId } from '../../../ids.ts';
import { notFound } from '../../../directory/errors.ts';
import { createYieldToEventLoop } from '../../../shared/yield-to-event-loop.ts';
import { signalOf } from '../../server/caller-connection.ts';
import { createListCursors, cursorPageQuery, idPosition, pageBody } from '../cursor.ts';
import { defineOperation, directoryParams, recordedRequestParams } from '../define-operation.ts';
import { filterText } from '../schema-fields.ts';
import { presentRecordedRequest } from './presenter.ts';
import { type RecordedRequestBody, recordedRequestSchema } from './schemas.ts';

const all = '/api/v1/directory-sync/{directoryId}/requests';
const alias = '/api/v1/directory-sync/{directoryId}/scim-requests';
const common = { tag: 'Directories', auth: 'apiKey', scope: 'people:read', method: 'get' } as const;
const cursors = createListCursors('recorded requests', idPosition);
const flag = z.enum(['true', 'false'], 'must be true or false').optional();
const requestsQuery = cursorPageQuery.extend({
  user: filterText.meta({
    description:
      'Only requests about the user with this ID, user name, external ID or email address, and those that failed to create such a user.',
    examples: ['ada@acme.example'],
  }),
  status: z
    .enum(requestOutcomes, `must be one of ${requestOutcomes.join(', ')}`)
    .optional()
    .meta({ description: 'Only requests with an error, or only those without.', examples: ['failed'] }),
  writes: flag.meta({
    description: 'With `true`, only requests that change something: all but `GET`; default: false.',
    examples: ['true'],
  }),
  include_body: flag.meta({
    description: 'With `false`, `body` is null; `body_state` says whether the request has one. Default: true.',
    examples: ['false'],
  }),
});

/** What the identity provider of a directory has sent. */
export const recordedRequestOperations = [
  defineOperation({
    ...common,
    id: 'directories.requests',
    path: all,
    aliases: [alias],
    params: directoryParams,
    title: 'List recorded SCIM requests',
    description:
      'Lists the last 100 requests of the identity provider, newest first, without passwords, and their responses. With `user`, lists the last 50 requests that concerned this user, however many others came since: those that are not among the last 100 have no body.',
    query: requestsQuery,
    responses: { 200: { description: 'The requests.', body: pageBody(recordedRequestSchema, 'RecordedRequestPage', 'requests') } },
    handler: async ({ input: { params, query }, deps, ctx }) => {
      const { id } = await deps.directories.get(params.directoryId);
      const signal = signalOf(ctx);
      const presented: RecordedRequestBody[] = [];
      // Searching a body for unknown attributes may take milliseconds.
      const pause = createYieldToEventLoop(() => signal.throwIfAborted());
      const { user, status: outcome } = query;
      const filter = { outcome, isWrite: query.writes === 'true' };
      const scope = scopeOf(id, user, filter);
      const page = cursors.readPage(query, scope);
      const { resources, next } = await (user === undefined
        ? deps.recordedRequests.list(id, page, filter)
        : deps.recordedRequests.listForUser(id, await findSubjects(deps.directoryReader, id, user), page, filter));
      for (const request of resources) {
        await pause();
        const body = presentRecordedRequest(request);
        presented.push(query.include_body === 'false' ? { ...body, body: null } : body);
      }
      return { data: presented, error: null, next_cursor: cursors.write(next, scope) };
    },
  }),
  defineOperation({
    ...common,
    id: 'directories.request',
    path: `${all}/{requestId}`,
    params: recordedRequestParams,
    title: 'Get a recorded SCIM request',
    description: 'Returns one of the last 100 requests of the identity provider, with its body, without passwords.',
    responses: { 200: { description: 'The request.', data: recordedRequestSchema } },
    handler: async ({ input: { params }, deps }) => {
      const { id } = await deps.directories.get(params.directoryId);
      const found = isId(params.requestId) ? await deps.recordedRequests.get(id, params.requestId.toLowerCase()) : undefined;
      if (!found) throw notFound('request');
      return presentRecordedRequest(found);
    },
  }),
];

/** The forms of a cursor from before there were other filters. */
function scopeOf(id: string, user: string | undefined, { outcome, isWrite }: { outcome: string | undefined; isWrite: boolean }): unknown {
  if (outcome !== undefined || isWrite) return [id, user, outcome, isWrite];
  return user === undefined ? id : [id, user];
}
