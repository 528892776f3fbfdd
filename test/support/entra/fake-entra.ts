import { constants, createHash, randomUUID, verify, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Body, createEntraLists, error, type Reply } from './entra-lists.ts';
import { createEntraWorld } from './entra-world.ts';

export interface EntraRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  authorization: string | undefined;
  body: string;
}

type Fault = 'hang' | 'drop' | 'cut' | Reply | ((normal: Reply) => Reply);
type Match = (request: EntraRequest) => boolean;
export type FakeEntra = Awaited<ReturnType<typeof startFakeEntra>>;

/** The sign-in service and Graph of Microsoft Entra ID, as an HTTP server on loopback. It has one tenant. */
export async function startFakeEntra({ expiresIn = 3_599 }: { expiresIn?: number } = {}) {
  const world = createEntraWorld();
  const lists = createEntraLists(world, () => url);
  const requests: EntraRequest[] = [];
  const faults: { match: Match; fault: Fault; left: number }[] = [];
  const waits: { match: Match; wait: () => Promise<unknown> }[] = [];
  const tokens = new Set<string>();
  const tenant = randomUUID();
  const client = { id: randomUUID(), secret: 'a-secret-of-the-application', certificate: undefined as string | undefined };
  const assertionIds = new Set<string>();
  const state = { isConsented: true, secretError: undefined as string | undefined, expiresIn, keepsRequests: true };
  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    ...world,
    odd: lists.odd,
    forgetLinks: lists.forgetLinks,
    url,
    tenant,
    client,
    state,
    requests,
    /** Requests to Graph, without those for tokens. */
    graphRequests: () => requests.filter(({ path }) => path.startsWith('/v1.0/')),
    revokeTokens: () => tokens.clear(),
    /** Answers the next matching requests otherwise. */
    fail(match: Match, fault: Fault, times = 1) {
      faults.push({ match, fault, left: times });
    },
    /** Forgets the faults that nothing has met. */
    heal: () => void (faults.length = 0),
    before(match: Match, wait: () => Promise<unknown>) {
      const one = { match, wait };
      waits.push(one);
      return () => void waits.splice(waits.indexOf(one), 1);
    },
    env: () => ({
      DSYNC_ENTRA_CLIENT_ID: client.id,
      DSYNC_ENTRA_CLIENT_SECRET: client.secret,
      DSYNC_ENTRA_LOGIN_URL: url,
      DSYNC_ENTRA_GRAPH_URL: url,
    }),
    /** Gives consent like an administrator, and returns the address that Microsoft redirects to. */
    consent(address: string, { as = tenant, deny = false }: { as?: string; deny?: boolean } = {}): string {
      const page = new URL(address);
      if (page.searchParams.get('client_id') !== client.id) throw new Error('The client ID is unknown.');
      const back = new URL(page.searchParams.get('redirect_uri')!);
      back.searchParams.set('state', page.searchParams.get('state')!);
      for (const [name, value] of Object.entries(deny ? { error: 'access_denied' } : { admin_consent: 'True', tenant: as }))
        back.searchParams.set(name, value);
      if (!deny) state.isConsented = true;
      return back.href;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    const { pathname: path, searchParams: query } = new URL(incoming.url ?? '', 'http://fake');
    const body = await text(incoming).catch(() => '');
    const request = { method: incoming.method ?? '', path, query, authorization: incoming.headers.authorization, body };
    if (state.keepsRequests) requests.push(request);
    for (const { match, wait } of waits) if (match(request)) await wait();
    const found = faults.find(({ match, left }) => left > 0 && match(request));
    if (found) found.left -= 1;
    const fault = found?.fault;
    if (fault === 'hang') return;
    if (fault === 'drop') return void incoming.socket.destroy();
    const normal = typeof fault === 'object' ? fault : respond(request);
    send(response, typeof fault === 'function' ? fault(normal) : normal, fault === 'cut');
  }

  function respond({ method, path, query, authorization, body }: EntraRequest): Reply {
    const token = /^\/([\w-]+)\/oauth2\/v2\.0\/token$/.exec(path);
    if (token && method === 'POST') return respondToToken(token[1]!, new URLSearchParams(body));
    if (!tokens.has(authorization?.replace('Bearer ', '') ?? '')) return error(401, 'InvalidAuthenticationToken');
    if (path === '/v1.0/$batch') {
      const { requests: asked } = JSON.parse(body) as { requests: { id: string; url: string }[] };
      if (asked.length > 20) return error(400, 'BadRequest');
      const responses = asked.map((one) => {
        const inner = new URL(one.url, 'http://fake');
        return { id: one.id, headers: {}, ...respondTo(`/v1.0${inner.pathname}`, inner.searchParams) };
      });
      return { status: 200, body: { responses: responses.toReversed() } };
    }
    return respondTo(path, query);
  }

  function respondTo(path: string, query: URLSearchParams): Reply {
    const [, , kind = '', id = '', what] = path.split('/');
    if (kind === 'users' || kind === 'groups') {
      if (id === 'delta') return lists.delta(kind, query);
      const known = world[kind].get(id);
      if (!known) return error(404, 'Request_ResourceNotFound');
      if (what === undefined) return { status: 200, body: known };
      const below = path.slice('/v1.0'.length);
      if (what === 'memberOf') {
        const groupIds = [...world.members].filter(([, ids]) => ids.has(id)).map(([groupId]) => groupId);
        const role: Body = { '@odata.type': '#microsoft.graph.directoryRole', id: randomUUID() };
        return lists.plain([role, ...groupIds.map(lists.describe)], below, query);
      }
      if (what === 'members') return lists.plain([...world.members.get(id)!].map(lists.describe), below, query);
      if (what === 'transitiveMembers') return lists.plain([...lists.transitive(id)].map(lists.describe), below, query);
    }
    if (kind === 'servicePrincipals')
      return what === 'appRoleAssignedTo'
        ? lists.plain(
            [...world.assigned].map(([principalId, principalType]) => ({ id: randomUUID(), principalId, principalType })),
            path.slice('/v1.0'.length),
            query,
          )
        : { status: 200, body: { value: state.isConsented ? [{ id: randomUUID() }] : [] } };
    return error(400, 'BadRequest');
  }

  /** The number of the error, if the application is not who it claims to be. One with a certificate has no secret. */
  function checkCredential(asked: string, form: URLSearchParams): number | undefined {
    if (client.certificate === undefined) return form.get('client_secret') === client.secret ? undefined : 7000215;
    const certificate = new X509Certificate(client.certificate);
    const assertion = form.get('client_assertion') ?? '';
    const [header, claims, signature] = assertion.split('.').map((part) => Buffer.from(part, 'base64url'));
    if (!header || !claims || !signature) return 900144;
    const { alg, typ, 'x5t#S256': thumbprint } = JSON.parse(header.toString());
    const { aud, iss, sub, jti, nbf, exp } = JSON.parse(claims.toString());
    const seconds = Date.now() / 1_000;
    const isSigned = verify(
      'sha256',
      Buffer.from(assertion.slice(0, assertion.lastIndexOf('.'))),
      { key: certificate.publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
      signature,
    );
    const isAccepted =
      form.get('client_assertion_type') === 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' &&
      !form.has('client_secret') &&
      alg === 'PS256' &&
      typ === 'JWT' &&
      thumbprint === createHash('sha256').update(certificate.raw).digest('base64url') &&
      aud === `${url}/${asked}/oauth2/v2.0/token` &&
      iss === client.id &&
      sub === client.id &&
      nbf <= seconds &&
      exp > seconds &&
      exp - seconds <= 600 &&
      !assertionIds.has(jti);
    if (!isSigned || !isAccepted) return 700027;
    assertionIds.add(jti);
    return undefined;
  }

  function respondToToken(asked: string, form: URLSearchParams): Reply {
    if (asked !== tenant) return refuse(90002, 'invalid_request');
    if (form.get('client_id') !== client.id) return refuse(700016, 'unauthorized_client');
    if (state.secretError !== undefined) return refuse(Number(state.secretError), 'invalid_client');
    const problem = checkCredential(asked, form);
    if (problem !== undefined) return refuse(problem, 'invalid_client');
    if (form.get('scope') !== `${url}/.default` || form.get('grant_type') !== 'client_credentials')
      return refuse(900144, 'invalid_request');
    if (!state.isConsented) return refuse(65001, 'invalid_grant');
    const token = randomUUID();
    tokens.add(token);
    return { status: 200, body: { token_type: 'Bearer', expires_in: state.expiresIn, access_token: token } };
  }
}

const refuse = (number: number, name: string): Reply => ({
  status: 401,
  body: { error: name, error_description: `AADSTS${number}: a sentence. Trace ID: 1` },
});

function send(response: ServerResponse, { status, body, headers = {} }: Reply, isCut: boolean): void {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body ?? {}));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length, ...headers });
  if (isCut) response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => response.socket?.destroy());
  else response.end(bytes);
}
