import type { DescribedDocument } from '../openapi/described.ts';
import type { ListedOperation } from './list-operations.ts';
import { nameOfRef } from './schema-type.ts';

/** The names of the schemas that request bodies use. */
export function listRequestSchemas({ components }: DescribedDocument, operations: ListedOperation[]): Set<string> {
  const found = new Set<string>();
  const visit = (part: unknown) => {
    if (typeof part !== 'object' || part === null) return;
    if ('$ref' in part && typeof part.$ref === 'string') {
      const name = nameOfRef(part.$ref);
      if (found.has(name)) return;
      found.add(name);
      visit(components?.schemas?.[name]);
    }
    Object.values(part).forEach(visit);
  };
  for (const { requestBody } of operations) visit(requestBody);
  return found;
}
