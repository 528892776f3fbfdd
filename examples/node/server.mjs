// An application on plain Node that receives users and groups from an identity provider: `node server.mjs`
import { createServer } from 'node:http';
import { rollcall } from 'rollcall';

const { DATABASE_URL, ENCRYPTION_KEY, PORT = '3000', EXTERNAL_URL = `http://127.0.0.1:${PORT}` } = process.env;
const missing = [
  !DATABASE_URL && 'DATABASE_URL is missing: set it to the URL of a Postgres, like postgres://user:password@localhost:5432/app.',
  !ENCRYPTION_KEY && 'ENCRYPTION_KEY is missing: set it to what `openssl rand -base64 32` prints, and keep it.',
].filter(Boolean);
if (missing.length > 0) {
  console.error(missing.join('\n'));
  process.exit(1);
}

const sync = await rollcall({ databaseUrl: DATABASE_URL, encryptionKeys: [ENCRYPTION_KEY], externalUrl: EXTERNAL_URL });

const maxBodyBytes = 10 * 1024 * 1024;
const server = createServer(async (request, response) => {
  try {
    const { pathname, searchParams } = new URL(request.url, EXTERNAL_URL);
    const [, directoryId, resourceType, resourceId] = /^\/api\/scim\/v2\.0\/([^/]+)\/([^/]+)(?:\/([^/]+))?$/.exec(pathname) ?? [];
    if (!directoryId) return response.writeHead(404).end();
    const body = await readBody(request);
    if (body === null) return response.writeHead(413).end();

    const { status, headers, data } = await sync.requests.handle(
      {
        method: request.method,
        directoryId,
        resourceType,
        resourceId,
        apiSecret: request.headers.authorization?.replace(/^Bearer /i, ''),
        query: Object.fromEntries(searchParams),
        body,
      },
      applyEvent,
    );
    response.writeHead(status, headers).end(data === null ? undefined : JSON.stringify(data));
  } catch (error) {
    console.error(error);
    response.writeHead(500).end();
  }
});

/** Your application creates, updates and blocks its accounts here. */
async function applyEvent({ event, data }) {
  console.log(event, data.email ?? data.name);
}

/** Returns the body as text, so that Rollcall can report invalid JSON, or null if it is too large. */
async function readBody(request) {
  const chunks = [];
  let bytes = 0;
  // Reads to the end in any case: a client that is cut off while it sends does not see the response.
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= maxBodyBytes) chunks.push(chunk);
  }
  if (bytes > maxBodyBytes) return null;
  return Buffer.concat(chunks).toString() || undefined;
}

async function findOrCreateDirectory(owner) {
  const found = await sync.directories.list(owner);
  if (found.error) throw new Error(found.error.message);
  if (found.data.length > 0) return found.data[0];
  const created = await sync.directories.create({ ...owner, type: 'generic-scim-v2' });
  if (created.error) throw new Error(created.error.message);
  return created.data;
}

const { scim } = await findOrCreateDirectory({ tenant: 'acme', product: 'crm' });
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`SCIM address  ${scim.endpoint}`);
  console.log(`SCIM secret   ${scim.secret}`);
});

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    server.close(() => sync.stop());
    server.closeIdleConnections();
  });
