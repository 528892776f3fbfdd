import type { DescribedDocument } from './described.ts';

/** Resolves a reference to `#/components/…`. */
export function followRef<Part extends object>(document: DescribedDocument, part: Part): Part {
  if (!('$ref' in part) || typeof part.$ref !== 'string') return part;
  const found = part.$ref
    .replace('#/', '')
    .split('/')
    .reduce<unknown>((place, name) => (place as Record<string, unknown> | undefined)?.[name], document);
  if (typeof found !== 'object' || found === null) throw new Error(`The document refers to ${part.$ref}, which does not exist.`);
  return followRef(document, found as Part);
}
