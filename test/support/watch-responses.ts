import type * as findDeviations from './find-deviation.ts';

const watched = new Map<string, string[]>();
const plainFetch = globalThis.fetch;
/** Loaded for the first response. */
let checking: Promise<typeof findDeviations> | undefined;

/**
 * Compares every response from this address with the OpenAPI document. A deviation fails the request and the test. `check` reports it
 * again, because a test may have caught the error.
 */
export function watchResponses(baseUrl: string): { check(): void; forget(): void } {
  const found: string[] = [];
  const { origin } = new URL(baseUrl);
  watched.set(origin, found);
  globalThis.fetch = watchingFetch;
  return {
    /** Another server may get its port later. */
    forget() {
      if (watched.get(origin) === found) watched.delete(origin);
    },
    check() {
      const deviations = new Set(found.splice(0));
      if (deviations.size > 0) throw new Error([...deviations].slice(0, 5).join('\n'));
    },
  };
}

async function watchingFetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const response = await plainFetch(input, init);
  if (typeof input !== 'string' && !(input instanceof URL)) return response;
  const { origin, pathname } = new URL(input);
  const found = watched.get(origin);
  if (!found || response.redirected) return response;
  const { findDeviation } = await (checking ??= import('./find-deviation.ts'));
  const deviation = findDeviation({
    method: (init?.method ?? 'GET').toUpperCase(),
    path: pathname,
    sent: typeof init?.body === 'string' ? init.body : undefined,
    status: response.status,
    contentType: response.headers.get('content-type') ?? '',
    text: await response.clone().text(),
  });
  if (deviation === undefined) return response;
  found.push(deviation);
  throw new Error(deviation);
}
