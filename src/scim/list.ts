const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

export interface IndexPage {
  startIndex: number;
  count: number;
}

const defaultCount = 100;
const maxCount = 1000;

/** RFC 7644, section 3.4.2.4: what is out of bounds is brought in, never refused. */
export function readIndexPage(query: { startIndex?: unknown; count?: unknown }): IndexPage {
  return {
    startIndex: Math.max(1, toInteger(query.startIndex) ?? 1),
    count: Math.min(maxCount, Math.max(0, toInteger(query.count) ?? defaultCount)),
  };
}

function toInteger(value: unknown): number | undefined {
  const number = Math.trunc(Number(value));
  return typeof value === 'string' && value.trim() !== '' && Number.isSafeInteger(number) ? number : undefined;
}

export const toListResponse = (resources: unknown[], { total, startIndex }: { total: number; startIndex: number }) => ({
  schemas: [listSchema],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});
