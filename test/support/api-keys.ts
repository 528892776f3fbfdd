import { apiKey, type ServiceResponse, type TestService } from './service.ts';

export const keysPath = '/api/v1/api-keys';

export interface TestKey {
  id: string;
  /** Its value. */
  key: string;
  /** Sends requests with it. */
  api(method: string, path: string, body?: unknown): Promise<ServiceResponse>;
}

/** Sends requests with this key to a service. A body that is not JSON is text. */
export const withKey =
  ({ baseUrl }: Pick<TestService, 'baseUrl'>, key: string): TestKey['api'] =>
  async (method, path, body) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { authorization: `Api-Key ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /^application.json(;|$)/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };

/** An API key, created with a root key or with the one that is given. Default: everything may be read. */
export async function createKey(
  service: Pick<TestService, 'baseUrl'>,
  fields: object = {},
  by = withKey(service, apiKey),
): Promise<TestKey> {
  const given = { name: 'test', ...(!('scopes' in fields) && { preset: 'read-only' }), ...fields };
  const { status, body } = await by('POST', keysPath, given);
  if (status !== 201) throw new Error(`The API key was not created: ${status} ${JSON.stringify(body)}`);
  return { id: body.data.id, key: body.data.key, api: withKey(service, body.data.key) };
}
