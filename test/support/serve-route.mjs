// Serves the Next.js example like Next.js: with a web request, and the parameters of the path as a promise.
import { createServer } from 'node:http';

const routes = await import('../../examples/nextjs/app/api/scim/v2.0/[directory]/[[...path]]/route.js');
const { directorySync } = await import('../../examples/nextjs/lib/directory-sync.mjs');
const { PORT } = process.env;

const server = createServer(async (request, response) => {
  const url = new URL(request.url, `http://127.0.0.1:${PORT}`);
  const [directory, ...path] = url.pathname.replace('/api/scim/v2.0/', '').split('/').filter(Boolean);
  const handle = routes[request.method];
  if (!handle) return response.writeHead(405).end();
  const hasBody = !['GET', 'HEAD'].includes(request.method);
  const webRequest = new Request(url, {
    method: request.method,
    headers: request.headers,
    ...(hasBody && { body: request, duplex: 'half' }),
  });
  const webResponse = await handle(webRequest, { params: Promise.resolve(path.length > 0 ? { directory, path } : { directory }) });
  response.writeHead(webResponse.status, Object.fromEntries(webResponse.headers)).end(await webResponse.text());
});
server.listen(Number(PORT), '127.0.0.1', () => console.log('ready'));
process.once('SIGTERM', async () => {
  server.close();
  server.closeAllConnections();
  await (await directorySync()).stop();
});
