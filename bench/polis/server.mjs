// Polis' directory sync behind a minimal HTTP server; its own service adds a web framework.
import { createServer } from 'node:http';
import jackson from '@boxyhq/saml-jackson';
import { redirectGoogleTo } from './redirect-google.mjs';

const { DATABASE_URL, PORT, DSYNC_WEBHOOK_BATCH_SIZE, GOOGLE_ADDRESS } = process.env;
if (GOOGLE_ADDRESS) redirectGoogleTo(GOOGLE_ADDRESS);
const silent = () => undefined;
const { directorySyncController } = await jackson.controllers({
  externalUrl: `http://127.0.0.1:${PORT}`,
  samlPath: '/api/oauth/saml',
  db: { engine: 'sql', type: 'postgres', url: DATABASE_URL },
  noAnalytics: true,
  ...(DSYNC_WEBHOOK_BATCH_SIZE && { dsync: { webhookBatchSize: Number(DSYNC_WEBHOOK_BATCH_SIZE) } }),
  logger: { info: silent, warn: silent, error: silent },
});
const { directories, requests, events, sync } = directorySyncController;

const server = createServer({ keepAliveTimeout: 65_000 }, async (request, response) => {
  try {
    const { status, data } = await handle(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(data));
  } catch (error) {
    response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message: error.message } }));
  }
});
server.listen(Number(PORT), '127.0.0.1');
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));

async function handle(request) {
  const { pathname, searchParams } = new URL(request.url, 'http://127.0.0.1');
  if (pathname === '/health/ready') return { status: 200, data: {} };
  if (pathname === '/api/v1/dsync/cron/process-events') {
    void events.batch.process();
    return { status: 200, data: {} };
  }
  if (pathname === '/api/v1/dsync/cron/sync-google') {
    await sync();
    return { status: 200, data: {} };
  }
  const body = await readJson(request);
  if (pathname === '/api/v1/directory-sync') {
    const { data, error } = await directories.create(body);
    return error ? { status: error.code, data: { error } } : { status: 201, data: { data } };
  }
  const [, directoryId, resourceType, resourceId] = /^\/api\/scim\/v2\.0\/([^/]+)\/([^/]+)(?:\/([^/]+))?$/.exec(pathname) ?? [];
  if (!directoryId) return { status: 404, data: {} };
  const apiSecret = request.headers.authorization?.split(' ')[1];
  const query = {
    count: Number(searchParams.get('count') ?? 0) || undefined,
    startIndex: Number(searchParams.get('startIndex') ?? 0) || undefined,
    filter: searchParams.get('filter') ?? undefined,
  };
  // Polis' service passes the same callback: it looks up the directory's webhook.
  return requests.handle({ method: request.method, body, query, directoryId, resourceType, resourceId, apiSecret }, events.callback);
}

async function readJson(request) {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text === '' ? undefined : JSON.parse(text);
}
