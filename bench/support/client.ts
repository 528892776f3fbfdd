import { Pool } from 'undici';

/** One request of an identity provider. */
export interface ScimRequest {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  secret: string;
  body?: object;
  headers?: Record<string, string>;
  /** The statuses that count as success; they differ between the sides. */
  statuses: number[];
}

interface ScimResponse {
  ms: number;
  text: string;
  failure?: string;
}

export interface Client {
  send(request: ScimRequest): Promise<ScimResponse>;
  /** For requests that must succeed and whose response matters. */
  fetch<Body>(request: ScimRequest): Promise<Body>;
  close(): Promise<void>;
}

/** Keeps every connection open, with one request at a time on each. */
export function createClient({ baseUrl, connections = 1, signal }: { baseUrl: string; connections?: number; signal: AbortSignal }): Client {
  const pool = new Pool(baseUrl, { connections, pipelining: 1 });
  return {
    send,
    async fetch<Body>(request: ScimRequest) {
      const { text, failure } = await send(request);
      if (failure !== undefined) throw new Error(`${request.method} ${request.path}: ${failure}`);
      return JSON.parse(text) as Body;
    },
    close: () => pool.close(),
  };

  async function send({ method, path, secret, headers, body: content, statuses }: ScimRequest): Promise<ScimResponse> {
    const sent = content && JSON.stringify(content);
    const startedMs = performance.now();
    const { statusCode, body } = await pool.request({
      method,
      path,
      headers: { authorization: `Bearer ${secret}`, ...(sent !== undefined && { 'content-type': 'application/scim+json' }), ...headers },
      body: sent ?? null,
      signal,
    });
    const text = await body.text();
    const ms = performance.now() - startedMs;
    return statuses.includes(statusCode) ? { ms, text } : { ms, text, failure: `${statusCode} ${text.slice(0, 200)}` };
  }
}
