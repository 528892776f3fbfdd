import type { DescribedDocument, Operation, Parameter } from '../openapi/described.ts';
import { followRef } from '../openapi/follow-ref.ts';

export interface ListedOperation extends Operation {
  method: string;
  path: string;
  tag: string;
  parameters: Parameter[];
}

const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];

/** Every operation, with shared parameters and references resolved. */
export function listOperations(document: DescribedDocument): ListedOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method])
      .map((method) => {
        const operation = item[method] as Operation;
        const shared = (item['parameters'] ?? []) as Parameter[];
        return {
          ...operation,
          ...(operation.requestBody && { requestBody: followRef(document, operation.requestBody) }),
          responses: Object.fromEntries(
            Object.entries(operation.responses).map(([status, response]) => [status, followRef(document, response)]),
          ),
          parameters: [...shared, ...(operation.parameters ?? [])].map((parameter) => followRef(document, parameter)),
          security: operation.security ?? document.security ?? [],
          method: method.toUpperCase(),
          path,
          tag: operation.tags?.[0] ?? 'Other',
        };
      }),
  );
}
