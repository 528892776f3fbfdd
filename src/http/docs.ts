import { readVersion } from '../shared/version.ts';
import { toCachedFile, type CachedFile } from './server/cached-file.ts';
import type { HttpDeps } from './deps.ts';

/** The OpenAPI document and the reference page: generated when they are first requested, because the base address is known only then. */
export function createDocs({ baseUrl, limiting }: Pick<HttpDeps, 'baseUrl' | 'limiting'>): HttpDeps['docs'] {
  const document = once(async () => {
    const { createDocument } = await import('./openapi/document.ts');
    return createDocument({ baseUrl: baseUrl(), version: readVersion(), limiting: limiting !== undefined });
  });
  return {
    openApiDocument: once(async () => toCachedFile(JSON.stringify(await document()))),
    referencePage: once(async (): Promise<CachedFile & { contentSecurityPolicy: string }> => {
      const [{ renderReference }, { referenceContentSecurityPolicy: contentSecurityPolicy }] = await Promise.all([
        import('./reference/render-reference.ts'),
        import('./reference/content-security-policy.ts'),
      ]);
      return { ...(await toCachedFile(renderReference(await document()))), contentSecurityPolicy };
    }),
  };
}

/** Creates a value on first use, and keeps it. */
function once<Value>(create: () => Value): () => Value {
  let created: { value: Value } | undefined;
  return () => (created ??= { value: create() }).value;
}
