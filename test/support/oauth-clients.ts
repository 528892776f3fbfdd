import { root } from './operate.ts';
import { request, type ServiceResponse, type TestService } from './service.ts';

export const clientsPath = (directoryId: string) => `${root}/${directoryId}/scim/clients`;

export interface TestClient {
  id: string;
  secret: string;
  /** Where it is read, changed and revoked. */
  path: string;
}

/** An OAuth client of a directory. */
export async function createClient(service: Pick<TestService, 'api'>, directoryId: string, fields: object = {}): Promise<TestClient> {
  const { status, body } = await service.api('POST', clientsPath(directoryId), { name: 'test', ...fields });
  if (status !== 201) throw new Error(`The OAuth client was not created: ${status} ${JSON.stringify(body)}`);
  const { client_id: id, client_secret: secret } = body.data;
  return { id, secret, path: `${clientsPath(directoryId)}/${id}` };
}

export const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

export const tokenPath = '/api/scim/oauth/token';
const formType = 'application/x-www-form-urlencoded';

/** Sends a form to the token endpoint. */
export const askForToken = (
  { baseUrl }: Pick<TestService, 'baseUrl'>,
  form: Record<string, string> | string,
  headers: Record<string, string> = {},
): Promise<ServiceResponse> =>
  request(`${baseUrl}${tokenPath}`, 'POST', typeof form === 'string' ? form : new URLSearchParams(form).toString(), {
    'content-type': formType,
    ...headers,
  });

export const ofClient = ({ id, secret }: Pick<TestClient, 'id' | 'secret'>) => ({
  grant_type: 'client_credentials',
  client_id: id,
  client_secret: secret,
});

/** An access token, which must be issued. */
export async function getToken(service: Pick<TestService, 'baseUrl'>, client: TestClient): Promise<string> {
  const { status, body } = await askForToken(service, ofClient(client));
  if (status !== 200) throw new Error(`No access token was issued: ${status} ${JSON.stringify(body)}`);
  return body.access_token as string;
}

/** Reads the users of a directory with these credentials. */
export const readUsers = ({ baseUrl }: Pick<TestService, 'baseUrl'>, directoryId: string, authorization: string) =>
  request(`${baseUrl}/api/scim/v2.0/${directoryId}/Users`, 'GET', undefined, { authorization });
