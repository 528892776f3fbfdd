import { expect } from '@jest/globals';
import { untilReadable } from './until-readable.ts';
import type { ServiceResponse, TestService } from './service.ts';

export type FeedQuery = Record<string, string | number | string[]>;

export function getFeed({ api }: Pick<TestService, 'api'>, query: FeedQuery): Promise<ServiceResponse> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) for (const one of [value].flat()) search.append(name, String(one));
  return api('GET', `/api/v1/events?${search.toString()}`);
}

/** Reads a page after everything that is committed has become readable. A request that waits is sent immediately. */
export async function readFeed(
  service: Pick<TestService, 'api' | 'db'>,
  query: FeedQuery,
): Promise<{ events: Record<string, unknown>[]; after: string; hasMore: boolean }> {
  if (!('wait' in query)) await untilReadable(service.db);
  const { status, body } = await getFeed(service, query);
  expect([status, body.error]).toEqual([200, null]);
  return { events: body.data, after: body.list_metadata.after, hasMore: body.list_metadata.has_more };
}

export const errorIn = ({ status, body }: ServiceResponse) => [status, body.data, body.error.code, body.error.field];
