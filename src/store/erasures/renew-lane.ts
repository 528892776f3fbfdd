import { createHash } from 'node:crypto';
import { parseJson } from '../../scim/json.ts';
import { lockEndpoint } from '../deliveries/lock-endpoint.ts';
import type { EraseStep } from './erase-steps.ts';
import { namesUser, quoteId } from './person-events.ts';

/**
 * A new epoch stops a delivery that read events before they were erased. The open delivery keeps its ID, its failures and the time of its next
 * attempt, so that a failing receiver is not called earlier. Replays omit erased events: the open delivery of a replay is created again, and a
 * given-up one cannot be retried.
 */
export const renewLane: EraseStep = async (trx, { directory_id: directoryId, public_id: publicId }) => {
  const endpoint = await lockEndpoint(trx, directoryId);
  if (!endpoint) return {};
  const bindings = { directoryId, endpointId: endpoint.id, quotedId: quoteId(publicId) };
  const { rows } = await trx.raw<{ rows: { id: string; body: string }[] }>(
    `select b.id, b.body from webhook_batches b where b.directory_id = :directoryId and b.endpoint_id = :endpointId
       and b.status in ('pending', 'exhausted') and b.kind = 'live' and ${namesUser}`,
    bindings,
  );
  let rewritten = 0;
  for (const { id, body } of rows) {
    const erased = eraseBody(body, publicId);
    if (erased === body) continue;
    rewritten += 1;
    const sha256 = createHash('sha256').update(erased).digest('hex');
    await trx('webhook_batches')
      .where({ directory_id: directoryId, id })
      .update({ body: erased, bytes: Buffer.byteLength(erased), sha256 });
    await trx('webhook_attempts')
      .where({ directory_id: directoryId, batch_id: id })
      .update({ response_body: null, response_headers: null, error: null });
  }
  const { rows: replayed } = await trx.raw<{ rows: [{ open: number; given_up: number }] }>(
    `with open as (
       delete from webhook_batches b where b.directory_id = :directoryId and b.endpoint_id = :endpointId
         and b.status = 'pending' and b.kind = 'replay' and ${namesUser} returning b.id
     ), given_up as (
       update webhook_batches b set body = null, status = 'canceled' where b.directory_id = :directoryId and b.endpoint_id = :endpointId
         and b.status = 'exhausted' and b.kind = 'replay' and ${namesUser} returning b.id
     ), attempts as (
       update webhook_attempts a set response_body = null, response_headers = null, error = null
       from given_up where a.directory_id = :directoryId and a.batch_id = given_up.id
     )
     select (select count(*) from open) as open, (select count(*) from given_up) as given_up`,
    bindings,
  );
  const { open, given_up: givenUp } = replayed[0];
  await trx('webhook_endpoints')
    .where({ directory_id: directoryId, id: endpoint.id })
    .update({ epoch: trx.raw('epoch + 1'), ...(rewritten + open > 0 && { starts: 0 }) });
  return { counts: { deliveries: rewritten + open + givenUp } };
};

interface SentEvent {
  data?: { id?: unknown; group?: unknown } | null;
  changes?: unknown;
}

/**
 * Erases what `eraseEvents` erases from stored events. Bodies come from `JSON.stringify`, so a
 * body that does not name the person stays identical.
 */
function eraseBody(body: string, publicId: string): string {
  const content = parseJson(body) as SentEvent | SentEvent[];
  const events = [content].flat();
  if (events.every((event) => event.data?.id !== publicId)) return body;
  const erased = events.map((event) => {
    const { data } = event;
    if (data?.id !== publicId) return event;
    return {
      ...event,
      data: {
        id: publicId,
        first_name: '',
        last_name: '',
        email: '',
        active: false,
        raw: { id: publicId },
        ...('group' in data && { group: data.group }),
      },
      ...('changes' in event && { changes: null, previous_attributes: null }),
    };
  });
  return JSON.stringify(Array.isArray(content) ? erased : erased[0]);
}
