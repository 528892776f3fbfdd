import { invalidSyntax, notFound } from '../errors.ts';
import type { ResourceTypeName } from '../schema/attribute.ts';
import { resourceTypes } from '../schema/resource-types.ts';

/** `/Users`, `/Users/<id>`, or the same as a whole address. */
export function readPath(path: unknown): { resourceType: ResourceTypeName; id?: string } {
  if (typeof path !== 'string' || path.trim() === '') throw invalidSyntax('path must be a string like /Users or /Users/<id>.');
  const [address] = path.trim().split(/[?#]/, 1);
  const isWhole = /^https?:\/\//i.test(address!);
  const segments = address!.split('/').filter((segment) => segment !== '');
  const [first, second, ...rest] = isWhole ? endOf(segments) : segments;
  const type = typeAt(first);
  if (!type || rest.length > 0) throw notFound(`There is nothing at this path that a bulk request could change. ${endpoints} can be.`);
  return { resourceType: type.name, ...(second !== undefined && { id: decode(second) }) };
}

const typeAt = (segment: string | undefined) =>
  resourceTypes.find(({ endpoint }) => endpoint.toLowerCase() === `/${segment?.toLowerCase()}`);

const endOf = (segments: string[]) => segments.slice(typeAt(segments.at(-2)) ? -2 : -1);

const endpoints = resourceTypes.map(({ endpoint }) => endpoint).join(' and ');

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw invalidSyntax('path is not a valid address: a % in it stands before nothing.');
  }
}
