import type { OpenApiDocument, OpenApiOperation } from '../../src/http/openapi/open-api-document.ts';

const decision = '/api/v1/limits/decision';

/** The operation of the OpenAPI document for a request. `HEAD` is a `GET` without a body. */
export function findOperation(
  { paths }: OpenApiDocument,
  method: string,
  path: string,
): { operation: OpenApiOperation; pointer: string } | undefined {
  const wanted = canonicalPath(path);
  const isDecision = wanted.startsWith(decision);
  const found = isDecision
    ? (Object.keys(paths).find((template) => template.startsWith(decision) && template.includes('{') === wanted.length > decision.length) ??
      '')
    : Object.keys(paths)
        .filter((template) => toPattern(template).test(wanted))
        .sort((one, other) => one.split('{').length - other.split('{').length)[0];
  if (found === undefined) return undefined;
  const item = paths[found] ?? {};
  const isCron = wanted.includes('/cron/') && method === 'GET';
  const name = isDecision ? Object.keys(item)[0]! : isCron ? 'post' : method === 'HEAD' ? 'get' : method.toLowerCase();
  const operation = item[name];
  return operation && { operation, pointer: `#/paths/${escapePointer(found)}/${name}` };
}

/** The document describes aliases of paths and methods in a sentence. */
function canonicalPath(path: string): string {
  const single = path.startsWith('/api/scim') ? path.replaceAll(/\/{2,}/g, '/') : path;
  return single
    .replace(/(?<=.)\/$/, '')
    .replace(/^\/api\/v1\/dsync(?=\/|$)/, '/api/v1/directory-sync')
    .replace(/\/scim-requests$/, '/requests')
    .replace(/^\/api\/health$/, '/health/ready')
    .replace(/\/ServiceProviderConfigs$/i, '/ServiceProviderConfig');
}

const patterns = new Map<string, RegExp>();

function toPattern(template: string): RegExp {
  const known = patterns.get(template) ?? new RegExp(`^${template.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]+')}$`, 'i');
  patterns.set(template, known);
  return known;
}

/** Escapes for a JSON pointer in a fragment. */
export const escapePointer = (name: string) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
