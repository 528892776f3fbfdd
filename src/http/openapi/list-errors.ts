import type { HeaderName } from '../headers.ts';
import type { Operation } from '../operation.ts';

const sentences: Record<number, string> = {
  400: 'The request is invalid; the message says why.',
  401: 'The credentials are missing or invalid.',
  403: 'This is not allowed.',
  404: 'There is nothing with this ID.',
  409: 'A unique value is already used.',
  410: 'It is no longer kept.',
  412: 'The resource has changed.',
  413: 'The body is too large, or the response would be: a group with very many members.',
  415: 'The body is not JSON, or is compressed.',
  429: 'There were too many requests, or too many failed authentications.',
  500: 'Internal error. The log has the cause, under the `X-Request-Id` of the response.',
  501: 'This is not supported.',
  503: 'The service is temporarily unavailable.',
};

/** The errors that an operation may return, by status, each with a sentence. */
export function listErrors(operation: Operation, { limiting }: { limiting: boolean }): Map<number, string> {
  const { errors = {}, responses } = operation;
  const statuses = [...usualErrors(operation), ...(isLimited(operation) && (limiting || countsFailures(operation)) ? [429] : [])];
  const all = [...new Set([...statuses, ...Object.keys(errors).map(Number)])].filter((status) => !(status in responses));
  return new Map(
    all
      .sort((one, other) => one - other)
      .map((status) => {
        const sentence = errors[status];
        return [status, typeof sentence === 'string' ? sentence : sentences[status]!];
      }),
  );
}

/** Failed authentications are limited even where requests are not. */
const countsFailures = ({ auth, format }: Operation) => auth !== 'none' || format === 'page';

/** Health checks are never limited. */
export const isLimited = ({ tag, auth }: Operation) => tag !== 'Health' || auth !== 'none';

function usualErrors(operation: Operation): number[] {
  const { auth, format, path, query, body } = operation;
  if (!isLimited(operation)) return [500];
  return [
    ...(query || body || format === 'page' ? [400] : []),
    ...(auth === 'none' ? [] : [401]),
    ...(format === 'scim' ? [403] : []),
    ...(path.includes('{') ? [404] : []),
    ...(body ? [413, 415] : readsMembers(path) ? [413] : []),
    500,
    503,
  ];
}

export function listErrorHeaders(status: number, { limiting }: { limiting: boolean }): HeaderName[] {
  if (status === 401) return ['WWW-Authenticate'];
  if (status === 500) return ['Retry-After', 'X-Request-Id'];
  if (status === 503 || (status === 429 && !limiting)) return ['Retry-After'];
  if (status !== 429) return [];
  return ['Retry-After', 'RateLimit-Policy', 'RateLimit', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
}

/** Paths of a group, or of groups with their members. */
const readsMembers = (path: string) => /\/groups(\/\{\w+\})?$/i.test(path);
