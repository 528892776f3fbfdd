import { ProviderError } from '../../directory/sync/provider.ts';
import { ResponseTooLargeError } from './responses.ts';
import { readRetryAfter } from '../../shared/retry-after.ts';
import { isObject, parseJson } from '../../scim/json.ts';
import type { Access } from './settings.ts';

export interface RequestContext {
  for: 'code' | 'token' | 'users' | 'groups' | 'members';
  by: Access['by'];
  pageToken?: string | undefined;
  timeoutMs: number;
}

/**
 * Translates a failure for operators and directory administrators. The library's error is not passed on, not even as a cause: it contains
 * tokens, and Google's text may quote the request.
 */
export function explainFailure(error: unknown, request: RequestContext): ProviderError {
  if (error instanceof ProviderError) return error;
  const failure = readFailure(error);
  // The library throws other errors for tokens that do not match Google's documentation.
  if (!failure)
    return new ProviderError(
      'invalid_response',
      `Google's response to the ${request.for === 'code' ? 'code exchange' : 'token request'} does not match its documentation.`,
    );
  if (failure.isTooLarge) return new ResponseTooLargeError();
  return failure.status === undefined ? explainNoResponse(failure, request) : explainResponse(failure, failure.status, request);
}

function explainNoResponse({ isAborted, code }: GoogleFailure, { timeoutMs }: RequestContext): ProviderError {
  if (isAborted) return new ProviderError('unreachable', `Google did not complete its response within ${timeoutMs} ms.`);
  return new ProviderError('unreachable', `The connection to Google failed before the response was complete${inBrackets([code])}.`);
}

const limits = /^(rateLimitExceeded|userRateLimitExceeded|quotaExceeded|dailyLimitExceeded|RATE_LIMIT_EXCEEDED|RESOURCE_EXHAUSTED)$/;

function explainResponse(failure: GoogleFailure, status: number, request: RequestContext): ProviderError {
  const { reasons, retryAfter } = failure;
  const says = (reason: string) => reasons.includes(reason);
  if (request.for === 'code' && says('invalid_grant'))
    return new ProviderError(
      'rejected',
      'Google rejected the authorization code: it is used, expired or was issued for another redirect URI. Authorize again.',
    );
  const clientProblem = explainClient(says);
  if (clientProblem) return new ProviderError('rejected', clientProblem);
  if (status === 429 || status === 503 || (status === 403 && reasons.some((reason) => limits.test(reason))))
    return new ProviderError('busy', `Google rate-limited the request (${status}).`, { retryAfterMs: readDelay(retryAfter) });
  if (status >= 500 || status === 408) return new ProviderError('unreachable', `Google failed with ${status}.`);
  if (status === 401 || says('invalid_grant') || says('unauthorized_client'))
    return new ProviderError('unauthorized', unauthorized[request.by]);
  if (status === 400 && isAboutPage(failure, request)) return new ProviderError('page_expired', 'Google no longer accepts the page token.');
  if (status === 404 && request.for === 'members') return new ProviderError('not_found', 'The group no longer exists in Google.');
  const forbids = status === 403 ? explainForbidden(reasons, request) : undefined;
  return new ProviderError('rejected', forbids ?? `Google rejected the request${inBrackets([status, ...reasons])}.`);
}

/** A date in the past means now; a number that is too large is ignored. */
function readDelay(header: string | null): number | undefined {
  const waitMs = readRetryAfter(header ?? undefined, Date.now());
  return Number.isSafeInteger(waitMs) ? Math.max(0, waitMs!) : undefined;
}

/** New consent does not help if Google rejects the client itself. */
function explainClient(says: (reason: string) => boolean): string | undefined {
  if (says('invalid_client'))
    return 'Google does not accept the OAuth client: check DSYNC_GOOGLE_CLIENT_ID and DSYNC_GOOGLE_CLIENT_SECRET.';
  if (says('redirect_uri_mismatch'))
    return "The redirect URI is not registered with Google: add it to the client's authorized redirect URIs.";
  return undefined;
}

const unauthorized: Record<Access['by'], string> = {
  consent: 'Google no longer accepts the authorization: it was revoked or has expired. Authorize again.',
  delegation:
    "Google does not allow the service account to impersonate the administrator. Check that its key exists, that the administrator's address is correct, and that its client ID has the three scopes under domain-wide delegation.",
};

/** Google does not always name the parameter, so any "invalid" counts if a page token was sent. */
function isAboutPage({ reasons, locations, text }: GoogleFailure, { pageToken }: RequestContext): boolean {
  if (pageToken === undefined) return false;
  return locations.length > 0 ? locations.includes('pageToken') : reasons.includes('invalid') || /page ?token/i.test(text);
}

type Forbidden = [reasons: RegExp, explain: (request: RequestContext) => string];

/** The first entry that matches one of the reasons applies. */
const forbidden: Forbidden[] = [
  [/^(accessNotConfigured|SERVICE_DISABLED)$/, () => 'The Admin SDK API is not enabled in the Google Cloud project: enable it there.'],
  [
    /^(domainCannotUseApis|domainPolicy)$/,
    () => 'API access is turned off for the Google Workspace domain: turn it on in the Admin console.',
  ],
  [
    /^(insufficientPermissions|ACCESS_TOKEN_SCOPE_INSUFFICIENT)$/,
    ({ by }) =>
      by === 'consent'
        ? 'The authorization does not cover users, groups and members: authorize again and allow all three.'
        : 'The service account may not read users, groups and members: add the three scopes to its client ID under domain-wide delegation.',
  ],
  [
    /^(forbidden|PERMISSION_DENIED)$/,
    ({ by }) =>
      by === 'consent'
        ? 'The account that authorized the directory may not read users and groups: authorize again as an administrator with these privileges.'
        : 'The administrator that the service account impersonates may not read users and groups: grant these privileges, or choose another administrator.',
  ],
];

function explainForbidden(reasons: string[], request: RequestContext): string | undefined {
  const known = forbidden.find(([form]) => reasons.some((reason) => form.test(reason)));
  return known?.[1](request);
}

/** Only words of the protocol may be quoted. */
function inBrackets(words: (string | number)[]): string {
  const quoted = words.filter((word) => /^(\d{3}|[A-Za-z]+(_[A-Za-z]+)*)$/.test(String(word)) && String(word).length <= 50);
  return quoted.length > 0 ? ` (${quoted.join(', ')})` : '';
}

/** A failed request to Google. */
interface GoogleFailure {
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
function readFailure(error: unknown): GoogleFailure | undefined {
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
