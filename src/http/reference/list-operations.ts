import type { DescribedDocument, Operation, Parameter } from './described.ts';

export interface ListedOperation extends Operation {
  method: string;
  path: string;
  tag: string;
  parameters: Parameter[];
}

const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];

/** Every operation with what it shares with others put in its place. */
export function listOperations(document: DescribedDocument): ListedOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method])
      .map((method) => {
        const operation = item[method] as Operation;
        const shared = (item['parameters'] ?? []) as Parameter[];
        return {
          ...operation,
          ...(operation.requestBody && { requestBody: follow(document, operation.requestBody) }),
          responses: Object.fromEntries(Object.entries(operation.responses).map(([status, answer]) => [status, follow(document, answer)])),
          parameters: [...shared, ...(operation.parameters ?? [])].map((parameter) => follow(document, parameter)),
          security: operation.security ?? document.security ?? [],
          method: method.toUpperCase(),
          path,
          tag: operation.tags?.[0] ?? 'Other',
        };
      }),
  );
}

/** What `#/components/…` stands for. */
export function follow<Part extends object>(document: DescribedDocument, part: Part): Part {
  if (!('$ref' in part) || typeof part.$ref !== 'string') return part;
  const found = part.$ref
    .replace('#/', '')
    .split('/')
    .reduce<unknown>((place, name) => (place as Record<string, unknown> | undefined)?.[name], document);
  if (typeof found !== 'object' || found === null) throw new Error(`The document refers to ${part.$ref}, which is not there.`);
  return follow(document, found as Part);
}
