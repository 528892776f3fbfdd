// An Express application that receives users and groups from an identity provider: `node server.mjs`
import express from 'express';
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

const sync = await rollcall({
  databaseUrl: DATABASE_URL,
  encryptionKeys: [ENCRYPTION_KEY],
  externalUrl: EXTERNAL_URL,
  // Your application creates, updates and blocks its accounts here.
  onEvent: ({ event, data }) => console.log(event, data.email ?? data.name),
});

const app = express();

// Passes the body as text, so that Rollcall can report invalid JSON.
app.all(
  '/api/scim/v2.0/:directoryId/:resourceType{/:resourceId}',
  express.text({ type: '*/*', limit: '10mb' }),
  async (request, response) => {
    const { directoryId, resourceType, resourceId } = request.params;
    const { status, headers, data } = await sync.requests.handle({
      method: request.method,
      directoryId,
      resourceType,
      resourceId,
      apiSecret: request.get('authorization')?.replace(/^Bearer /i, ''),
      query: request.query,
      body: request.body,
    });
    response.status(status).set(headers);
    response.end(data === null ? undefined : JSON.stringify(data));
  },
);

// For the application itself. Put your own authentication before it.
app.get('/people', async (request, response) => {
  const { data, error, status } = await sync.users.list({ tenant: 'acme', product: 'crm', limit: 100 });
  response.status(status).json(error ?? data.map(({ first_name, last_name, email, active }) => ({ first_name, last_name, email, active })));
});

// Errors thrown above, and those of the body parser: a body of more than 10 MiB gets 413.
app.use((error, request, response, _next) => {
  if (!error.status) console.error(error);
  response.status(error.status ?? 500).end();
});

const owner = { tenant: 'acme', product: 'crm' };
const { data: found } = await sync.directories.list(owner);
const { data: directory, error } = found?.length ? { data: found[0] } : await sync.directories.create({ ...owner, type: 'okta-scim-v2' });
if (error) throw new Error(error.message);

const server = app.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`SCIM address  ${directory.scim.endpoint}`);
  console.log(`SCIM secret   ${directory.scim.secret}`);
});

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    server.close(() => sync.stop());
    server.closeIdleConnections();
  });
