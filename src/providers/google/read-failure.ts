import { parseJson } from '../../shared/parse-json.ts';
import { isObject } from '../../scim/json.ts';

/** What is known of an exchange that failed. */
export interface GoogleFailure {
  /** Unset: there was no answer, or none to its end. */
  status: number | undefined;
  /** Google's words for what happened, of its APIs and of its token endpoint alike. */
  reasons: string[];
  /** Which parameters it means, where it says so. */
  locations: string[];
  /** In Google's words: it may quote what was asked for. */
  text: string;
  retryAfter: string | null;
  /** Of what happened to the connection. */
  code: string;
  isTooLarge: boolean;
  isAborted: boolean;
}

interface RequestError extends Error {
  code?: unknown;
  cause?: { name?: unknown; code?: unknown; type?: unknown };
  response?: { status: number; headers: Headers; data: unknown };
}

/** Of what the library throws for a request; `undefined` for other errors. */
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
