import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { apiError, type FakeResponse } from './google-errors.ts';
import { createGoogleFaults, type GoogleFaults, type GoogleRequest } from './google-faults.ts';
import { createGoogleAuthorizations, scopes, type GoogleAuthorizations } from './google-authorizations.ts';
import { createGoogleLists, type GoogleLists } from './google-lists.ts';
import { createGoogleWorld, type GoogleWorld } from './google-world.ts';

export interface FakeGoogle
  extends
    Omit<GoogleAuthorizations, 'respondToConsent' | 'respondToToken' | 'findTokenError'>,
    Omit<GoogleFaults, 'findFault'>,
    Pick<GoogleLists, 'expirePageTokens'>,
    GoogleWorld {
  url: string;
  addresses: { apiUrl: string; authUrl: string; tokenUrl: string };
  requests: GoogleRequest[];
  /** Gives consent like a person, and returns the address that Google redirects to. */
  consent(authorizationUrl: string, options?: { deny?: boolean }): Promise<string>;
  stop(): Promise<void>;
}

/** The consent page, tokens and lists of Google Workspace, as an HTTP server on loopback. */
export async function startFakeGoogle({ expiresIn = 3600 }: { expiresIn?: number } = {}): Promise<FakeGoogle> {
  const authorizations = createGoogleAuthorizations({ expiresIn });
  const faults = createGoogleFaults();
  const made = createGoogleWorld();
  const lists = createGoogleLists(made);
  const requests: GoogleRequest[] = [];
  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const { respondToConsent, respondToToken, findTokenError, ...given } = authorizations;
  const { findFault, ...faulty } = faults;
  return {
    ...given,
    ...faulty,
    ...made.world,
    expirePageTokens: lists.expirePageTokens,
    url,
    addresses: { apiUrl: `${url}/`, authUrl: `${url}/o/oauth2/v2/auth`, tokenUrl: `${url}/token` },
    requests,
    async consent(authorizationUrl, { deny = false } = {}) {
      const page = new URL(authorizationUrl);
      if (deny) page.searchParams.set('fake_denial', '');
      const response = await fetch(page, { redirect: 'manual' });
      const location = response.headers.get('location');
      if (location === null) throw new Error(`The consent page responded with ${response.status}: ${await response.text()}`);
      return location;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    // A client may disconnect.
    response.on('error', () => undefined);
    const request = await readRequest(incoming);
    requests.push(request);
    const fault = await findFault(request);
    if (fault === 'hang') return;
    if (fault === 'drop') return void incoming.socket.destroy();
    send(response, typeof fault === 'object' ? fault : { ...respondNormally(request), isCut: fault === 'cut' });
  }

  function respondNormally({ kind, path, query, form, authorization }: GoogleRequest): FakeResponse {
    if (kind === 'consent') return respondToConsent(query);
    if (kind === 'token') return respondToToken(form);
    if (kind === 'unknown') return apiError(404, 'notFound', 'Not Found');
    if (kind === 'users') return findTokenError(authorization, scopes[0]!) ?? lists.respondWithUsers(query);
    if (kind === 'groups') return findTokenError(authorization, scopes[1]!) ?? lists.respondWithGroups(query);
    return findTokenError(authorization, scopes[2]!) ?? lists.respondWithMembers(decodeURIComponent(path.split('/').at(-2)!), query);
  }
}

async function readRequest(incoming: IncomingMessage): Promise<GoogleRequest> {
  const method = incoming.method ?? '';
  const { pathname: path, searchParams: query } = new URL(incoming.url ?? '', 'http://fake');
  const body = await text(incoming).catch(() => '');
  return {
    kind: kinds.find(([form]) => form.test(`${method} ${path}`))?.[1] ?? 'unknown',
    method,
    path,
    query,
    form: new URLSearchParams(body),
    authorization: incoming.headers.authorization,
  };
}

const kinds: [form: RegExp, kind: GoogleRequest['kind']][] = [
  [/^GET \/o\/oauth2\/v2\/auth$/, 'consent'],
  [/^POST \/token$/, 'token'],
  [/^GET \/admin\/directory\/v1\/users$/, 'users'],
  [/^GET \/admin\/directory\/v1\/groups$/, 'groups'],
  [/^GET \/admin\/directory\/v1\/groups\/[^/]+\/members$/, 'members'],
];

function send(response: ServerResponse, { status = 200, headers = {}, body = '', isCut = false }: FakeResponse): void {
  const bytes = Buffer.from(Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body));
  const length = 'transfer-encoding' in headers ? {} : { 'content-length': bytes.length };
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', ...length, ...headers });
  if (isCut) response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => response.socket?.destroy());
  else response.end(bytes);
}
