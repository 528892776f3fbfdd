import type { z } from 'zod';
import type { Directory } from '../../../directory/directories/directory.ts';
import { toEventPayload } from '../../../directory/event.ts';
import type { ExportedItem } from '../../../directory/erasure/export-user.ts';
import type { UserErasure } from '../../../directory/erasure/ports.ts';
import { parseJson } from '../../../scim/json.ts';
import type { eventSchema } from '../events/schemas.ts';
import { toTime } from '../schema-fields.ts';
import type { ErasureBody, ExportedItemBody } from './schemas.ts';

export const presentErasure = (erasure: UserErasure): ErasureBody => ({
  id: erasure.id,
  user_id: erasure.publicId,
  status: erasure.finishedAt ? 'done' : 'running',
  requested_at: erasure.requestedAt.toISOString(),
  finished_at: toTime(erasure.finishedAt),
  erased: erasure.counts,
});

/** Omits what is about other people. */
export function presentExportedItem(item: ExportedItem, directory: Directory, publicId: string): ExportedItemBody {
  switch (item.kind) {
    case 'user':
    case 'membership':
      return item;
    case 'event':
      return { kind: 'event', event: toEventPayload(directory, item.event) as z.output<typeof eventSchema> };
    case 'request': {
      const { id, at, method, path, status, detail = null, body = null } = item.request;
      return { kind: 'request', id, at: at.toISOString(), method, path, status, detail, body };
    }
    case 'delivery': {
      const events = item.body === undefined ? [] : [parseJson(item.body)].flat();
      const own = events.filter((event) => (event as { data?: { id?: unknown } | null } | undefined)?.data?.id === publicId);
      const isOnlyOwn = item.body === undefined ? item.fromSequence === item.toSequence : own.length === events.length;
      return {
        kind: 'delivery',
        id: item.id,
        status: item.status,
        created_at: item.createdAt.toISOString(),
        done_at: toTime(item.doneAt),
        from_sequence: item.fromSequence,
        to_sequence: item.toSequence,
        event_count: item.eventCount,
        body_deleted: item.body === undefined,
        payloads: own,
        attempts: item.attempts.map(({ number, at, outcome, status, response }) => ({
          number,
          started_at: new Date(at).toISOString(),
          outcome,
          status_code: status,
          response_body: isOnlyOwn ? response : null,
        })),
      };
    }
  }
}
