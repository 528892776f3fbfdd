import type { Operation } from './operation.ts';

const sentences: Record<number, string> = {
  400: 'The request is not as it must be; the message names what is wrong with it.',
  401: 'The credentials are missing or wrong.',
  403: 'This is not allowed.',
  404: 'There is nothing of this id.',
  409: 'It would not be unique.',
  410: 'It is no longer kept.',
  412: 'It was changed meanwhile.',
  413: 'The body is too large, or the response would be: of a group with very many members.',
  415: 'The body is not JSON, or compressed.',
  429: 'Too many requests, or too many failed authentications.',
  500: 'A defect; the log says more, under the answer’s `X-Request-Id`.',
  501: 'This is not possible here.',
  503: 'Something that is needed does not answer at this moment.',
};

/** What an operation may refuse, by status, with a sentence. */
export function refusalsOf(operation: Operation, { limiting }: { limiting: boolean }): Map<number, string> {
  const { refusals = {}, answers } = operation;
  const statuses = [...usual(operation), ...(isLimited(operation) && (limiting || countsFailures(operation)) ? [429] : [])];
  const all = [...new Set([...statuses, ...Object.keys(refusals).map(Number)])].filter((status) => !(status in answers));
  return new Map(
    all
      .sort((one, other) => one - other)
      .map((status) => {
        const said = refusals[status];
        return [status, typeof said === 'string' ? said : sentences[status]!];
      }),
  );
}

/** Failed authentications are limited even where requests are not. */
const countsFailures = ({ auth, dialect }: Operation) => auth !== 'none' || dialect === 'page';

/** The health of the service never is. */
export const isLimited = ({ tag, auth }: Operation) => tag !== 'Health' || auth !== 'none';

function usual(operation: Operation): number[] {
  const { auth, dialect, path, query, body } = operation;
  if (!isLimited(operation)) return [500];
  return [
    ...(query || body || dialect === 'page' ? [400] : []),
    ...(auth === 'none' ? [] : [401]),
    ...(dialect === 'scim' ? [403] : []),
    ...(path.includes('{') ? [404] : []),
    ...(body ? [413, 415] : readsMembers(path) ? [413] : []),
    500,
    503,
  ];
}

export const refusalHeaders = (status: number, { limiting }: { limiting: boolean }) => {
  if (status === 401) return ['WWW-Authenticate'] as const;
  if (status === 500) return ['Retry-After', 'X-Request-Id'] as const;
  if (status === 503) return ['Retry-After'] as const;
  if (status === 429 && !limiting) return ['Retry-After'] as const;
  if (status !== 429) return [];
  return ['Retry-After', 'RateLimit-Policy', 'RateLimit', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const;
};

/** Of one group, or of groups with their members. */
const readsMembers = (path: string) => /\/groups(\/\{\w+\})?$/i.test(path);
