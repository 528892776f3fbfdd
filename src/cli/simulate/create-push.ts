import type { Push, ScimBody } from './provider.ts';

export interface PushedRequest {
  method: string;
  path: string;
  status: number;
  durationMs: number;
}

export interface PushOptions {
  /** The directory's SCIM address and secret. */
  endpoint: string;
  secret: string;
  headers: Record<string, string>;
  onResponse(request: PushedRequest): void;
}

/** A SCIM response that an identity provider would report as a failed push. */
export class PushError extends Error {
  constructor({ method, path, status }: PushedRequest, detail: string) {
    super(`${method} ${path} returned ${status}: ${detail}`);
  }
}

/** Pushes to one directory, one request after the other. */
export function createPush({ endpoint, secret, headers, onResponse }: PushOptions): Push {
  return async function push(method, path, body) {
    const startedMs = performance.now();
    const response = await fetch(`${endpoint}${path}`, {
      method,
      headers: { ...headers, authorization: `Bearer ${secret}` },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await response.text();
    const request = { method, path, status: response.status, durationMs: performance.now() - startedMs };
    onResponse(request);
    if (!response.ok) throw new PushError(request, detailOf(text));
    return text === '' ? {} : (JSON.parse(text) as ScimBody);
  };
}

function detailOf(text: string): string {
  try {
    const { detail, error } = JSON.parse(text) as { detail?: string; error?: { message?: string } };
    return detail ?? error?.message ?? text;
  } catch {
    return text.slice(0, 200) || 'no body';
  }
}
