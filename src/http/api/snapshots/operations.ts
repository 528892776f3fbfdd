import { finished, pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { Context } from 'koa';
import { z } from 'zod';
import { signalOf } from '../../server/caller-connection.ts';
import { allowSlowReader } from '../../server/connections/connection-limits.ts';
import { defineOperation, directoryParams } from '../define-operation.ts';
import { exampleId } from '../schema-fields.ts';

/** A caller that reads nothing for this long loses its connection, so that others can read. */
const stallMs = 30_000;
/** As sent, compressed or not. Low, because a reader may write each line to a database; SNAPSHOT_TIMEOUT_MS limits the whole snapshot. */
const bytesPerSecond = 5_000;
/** Users resemble each other, so a higher level gains little. */
const gzipLevel = 3;

const exampleLines = [
  {
    type: 'start',
    directory_id: exampleId,
    tenant: 'acme',
    product: 'crm',
    sequence: 42,
    after: 'k3J9…',
    taken_at: '2027-11-20T10:00:00.000Z',
  },
  { type: 'membership', data: { group_id: exampleId, user_id: exampleId } },
  { type: 'end', sequence: 42, after: 'k3J9…', users: 0, groups: 0, memberships: 1 },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

export const readSnapshot = defineOperation({
  id: 'readSnapshot',
  method: 'get',
  path: '/api/v1/directory-sync/{directoryId}/snapshot',
  tag: 'Directories',
  auth: 'apiKey',
  scope: 'people:read',
  params: directoryParams,
  title: 'Read a snapshot',
  description:
    'Streams all users, groups and memberships of a directory as they were at one moment, as JSON Lines. Every line has a `type`: `start`, `user`, `group`, `membership` or `end`. The first and the last line have the `sequence` of the last event that is included, and `after`, the cursor from which the event feed of the directory continues. Without the last line, a snapshot is incomplete: begin again. Snapshots are not stored, so `Range` is ignored. Compressed with gzip if `Accept-Encoding` allows it. The read is recorded in the audit log.',
  audit: ['directory.exported'],
  responses: { 200: { description: 'The lines.', content: { 'application/jsonl': z.string().meta({ examples: [exampleLines] }) } } },
  errors: {
    404: 'The directory does not exist.',
    503: 'Another snapshot of the tenant is being read, or as many as `SNAPSHOTS` allows.',
  },
  handler: async ({ input: { params }, deps, ctx }) => {
    if (ctx.method === 'HEAD') {
      // Nobody reads its body, and a snapshot that is not read would stay open.
      await deps.directories.get(params.directoryId);
      setHeaders(ctx);
      return undefined;
    }
    const { lines, close } = await deps.snapshots.start(params.directoryId, signalOf(ctx));
    // Closes the snapshot even if an error prevents that the body is read.
    ctx.res.once('close', close);
    ctx.res.setTimeout(stallMs);
    allowSlowReader(ctx.res, bytesPerSecond);
    // A streamed response has more listeners than Node's warning allows.
    ctx.res.setMaxListeners(30);
    const source = Readable.from(lines, { objectMode: false });
    ctx.body = setHeaders(ctx) === 'gzip' ? pipeline(source, createGzip({ level: gzipLevel }), () => undefined) : source;
    // The status has been sent, so only a broken connection can report a failure.
    finished(ctx.body as Readable, (error) => {
      if (error) ctx.res.destroy();
    });
    return undefined;
  },
});

function setHeaders(ctx: Context): 'gzip' | 'identity' {
  const encoding = ctx.acceptsEncodings('gzip', 'identity') === 'gzip' ? 'gzip' : 'identity';
  ctx.type = 'application/jsonl';
  ctx.vary('Accept-Encoding');
  ctx.set('Accept-Ranges', 'none');
  if (encoding === 'gzip') ctx.set('Content-Encoding', 'gzip');
  return encoding;
}
