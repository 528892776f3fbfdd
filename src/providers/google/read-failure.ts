import { parseJson, isObject } from '../../scim/json.ts';

/** A failed request to Google. */
export interface GoogleFailure {
  /** Undefined if there was no complete response. */
  status: number | undefined;
  /** Google's error reasons, from its APIs and its token endpoint. */
  reasons: string[];
  /** The parameters that Google names. */
  locations: string[];
  /** Google's message. It may quote the request. */
  text: string;
  retryAfter: string | null;
  /** The error code of the connection. */
  code: string;
  isTooLarge: boolean;
  isAborted: boolean;
}

interface RequestError extends Error {
  code?: unknown;
  cause?: { name?: unknown; code?: unknown; type?: unknown };
  response?: { status: number; headers: Headers; data: unknown };
}

/** Reads an error that the library throws for a request; undefined for other errors. */
export function readFailure(error: unknown): GoogleFailure | undefined {
  if (!(error instanceof Error) || !('config' in error)) return undefined;
  const { code, cause, response } = error as RequestError;
  return {
    status: response?.status,
    ...readErrors(response?.data),
    retryAfter: response?.headers.get('retry-after') ?? null,
    code: [code, cause?.code, cause?.type].find((name) => typeof name === 'string') ?? '',
    isTooLarge: cause?.type === 'max-size',
    isAborted: cause?.name === 'AbortError' || cause?.name === 'TimeoutError',
  };
}

function readErrors(body: unknown): Pick<GoogleFailure, 'reasons' | 'locations' | 'text'> {
  const data = typeof body === 'string' ? parseJson(body) : body;
  const error = isObject(data) ? data['error'] : undefined;
  if (typeof error === 'string') return { reasons: [error], locations: [], text: '' };
  if (!isObject(error)) return { reasons: [], locations: [], text: '' };
  const parts = [error['errors'], error['details']].flatMap((list) => (Array.isArray(list) ? list.filter(isObject) : []));
  return {
    reasons: [...parts.map(({ reason }) => reason), error['status']].filter(isText),
    locations: parts.map(({ location }) => location).filter(isText),
    text: [error['message'], ...parts.map(({ message }) => message)].filter(isText).join('\n'),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';
