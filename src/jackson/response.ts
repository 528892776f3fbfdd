import type { Result } from '../client/result.ts';

/** The form of Polis: the code of an error is its HTTP status. */
export type Response<Data> = { data: Data; error: null; pageToken?: string } | { data: null; error: ApiError };

export interface ApiError {
  message: string;
  code: number;
}

export interface PaginationParams {
  pageOffset?: number | undefined;
  pageLimit?: number | undefined;
  /** Ignored: pages are numbered here. */
  pageToken?: string | undefined;
}

export function toResponse<Data>(result: Result<Data>): Response<Data> {
  return result.error ? createErrorResponse(result.error.message, result.status || 500) : { data: result.data, error: null };
}

export const createErrorResponse = (message: string, code = 400): Response<never> => ({ data: null, error: { message, code } });

/** Returns the matching items of all pages. */
export async function filterPages<Item>(
  read: (page: { pageOffset: number; pageLimit: number }) => Promise<Result<Item[]>>,
  fits: (item: Item) => boolean,
): Promise<Response<Item[]>> {
  const pageLimit = 1_000;
  const found: Item[] = [];
  for (let pageOffset = 0; ; pageOffset += pageLimit) {
    const page = toResponse(await read({ pageOffset, pageLimit }));
    if (page.error) return page;
    found.push(...page.data.filter(fits));
    if (page.data.length < pageLimit) return { data: found, error: null };
  }
}
