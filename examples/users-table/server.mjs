// Keeps a table of users in sync with a directory: `node server.mjs`, or `node server.mjs --reload` to load everything again.
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { createSync } from './sync.mjs';
import { applyEvent, openTables } from './tables.mjs';

const { DATABASE_URL, ROLLCALL_URL, ROLLCALL_API_KEY, ROLLCALL_DIRECTORY_ID, ROLLCALL_WEBHOOK_SECRET, PORT = '3000' } = process.env;
const required = { DATABASE_URL, ROLLCALL_URL, ROLLCALL_API_KEY, ROLLCALL_DIRECTORY_ID, ROLLCALL_WEBHOOK_SECRET };
const missing = Object.keys(required).filter((name) => !required[name]);
if (missing.length > 0) {
  console.error(`Missing variables: ${missing.join(', ')}.`);
  process.exit(1);
}

const tables = await openTables(DATABASE_URL);
const sync = createSync({ rollcallUrl: ROLLCALL_URL, apiKey: ROLLCALL_API_KEY, directoryId: ROLLCALL_DIRECTORY_ID, tables });
const webhook = new Webhook(ROLLCALL_WEBHOOK_SECRET);

let catchingUp;
/** One at a time. */
function catchUp() {
  catchingUp ??= sync
    .catchUp()
    .catch((error) => console.error('could not catch up:', error.message))
    .finally(() => (catchingUp = undefined));
  return catchingUp;
}

async function apply(events) {
  let hasMissed = false;
  await tables.transaction(async (client) => {
    for (const event of events) {
      if (event.event === 'webhook.test') continue;
      const { isApplied, isComplete } = await applyEvent(client, event);
      if (!isComplete) hasMissed = true;
      console.log(event.sequence, event.event, event.data.email ?? event.data.name, isApplied ? '' : '(nothing new)');
    }
  });
  if (hasMissed) void catchUp();
}

const server = createServer(async (request, response) => {
  try {
    // Verify the bytes as they came, before anything parses them.
    const body = await buffer(request);
    const events = readEvents(body, request.headers);
    if (events === undefined) return response.writeHead(401).end();
    await apply(events);
    response.writeHead(204).end();
  } catch (error) {
    // Rollcall sends the same events again later.
    console.error(error.message);
    response.writeHead(500).end();
  }
});

/** One event, or an array of them in batch mode; undefined if Rollcall did not sign this. */
function readEvents(body, headers) {
  try {
    return [webhook.verify(body, headers)].flat();
  } catch {
    return undefined;
  }
}

// What happened while this process was not running comes first.
await (process.argv.includes('--reload') ? sync.load() : sync.catchUp());
server.listen(Number(PORT), '127.0.0.1', () => console.log(`waiting for webhooks on port ${PORT}`));

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    server.close(async () => {
      await catchingUp;
      await tables.close();
    });
    server.closeIdleConnections();
  });
