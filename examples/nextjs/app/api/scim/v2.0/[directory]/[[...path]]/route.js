import { directorySync } from '../../../../../../lib/directory-sync.mjs';

async function handle(request, { params }) {
  const { directory, path: [resourceType, resourceId] = [] } = await params;
  const sync = await directorySync();
  const { status, headers, data } = await sync.requests.handle(
    {
      method: request.method,
      directoryId: directory,
      resourceType,
      resourceId,
      apiSecret: request.headers.get('authorization')?.replace(/^Bearer /i, ''),
      query: Object.fromEntries(new URL(request.url).searchParams),
      // As text, so that Rollcall can report invalid JSON.
      body: (await request.text()) || undefined,
    },
    applyEvent,
  );
  return new Response(data === null ? null : JSON.stringify(data), { status, headers });
}

/** Your application creates, updates and blocks its accounts here. */
async function applyEvent({ event, data }) {
  console.log(event, data.email ?? data.name);
}

export { handle as GET, handle as POST, handle as PUT, handle as PATCH, handle as DELETE };
