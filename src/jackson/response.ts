import type { Result } from '../client/result.ts';

/** The form of Polis: the code of an error is its HTTP status. */
export type Response<Data> = { data: Data; error: null; pageToken?: string } | ErrorResponse;

export interface ErrorResponse {
  data: null;
  error: ApiError;
}

export interface ApiError {
  message: string;
  code: number;
}

export interface PaginationParams {
  pageOffset?: number | undefined;
  pageLimit?: number | undefined;
  /** Ignored: pages have numbers, not tokens. */
  pageToken?: string | undefined;
}

/** `notFound`: the message of Polis for an unknown ID. */
export function toResponse<Data>(result: Result<Data>, notFound?: string): Response<Data> {
  if (!result.error) return { data: result.data, error: null };
  return createErrorResponse((result.status === 404 && notFound) || result.error.message, result.status || 500);
}

/** Like Polis, returns an empty list for an unknown directory. */
export function toListResponse<Item>(result: Result<Item[]>): Response<Item[]> {
  return result.error && result.status === 404 ? { data: [], error: null } : toResponse(result);
}

export const createErrorResponse = (message: string, code = 400): ErrorResponse => ({ data: null, error: { message, code } });

/** For calls that return no error in Polis. */
export function orThrow<Data>(response: Response<Data>): Data {
  if (response.error) throw Object.assign(new Error(response.error.message), { statusCode: response.error.code });
  return response.data;
}

/** Returns the matching items of all pages. */
export async function filterPages<Item>(
  read: (page: { pageOffset: number; pageLimit: number }) => Promise<Result<Item[]>>,
  fits: (item: Item) => boolean = () => true,
): Promise<Response<Item[]>> {
  const pageLimit = 1_000;
  const found: Item[] = [];
  for (let pageOffset = 0; ; pageOffset += pageLimit) {
    const page = toListResponse(await read({ pageOffset, pageLimit }));
    if (page.error) return page;
    found.push(...page.data.filter(fits));
    if (page.data.length < pageLimit) return { data: found, error: null };
  }
}
