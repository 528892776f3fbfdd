import { ProviderError } from '../../directory/sync/provider.ts';
import { AnswerTooLarge } from './answer-too-large.ts';
import type { Access } from './choose-access.ts';
import { readFailure, type Failure } from './read-failure.ts';
import { readRetryAfter } from './retry-after.ts';

export interface Asked {
  for: 'code' | 'token' | 'users' | 'groups' | 'members';
  by: Access['by'];
  pageToken?: string | undefined;
  timeoutMs: number;
}

/**
 * In words for whoever runs the service, or the directory. The library's error is not handed on, not even as a cause: there are tokens in
 * it, and Google's own text may quote what was asked for.
 */
export function explainFailure(error: unknown, asked: Asked): ProviderError {
  if (error instanceof ProviderError) return error;
  const failure = readFailure(error);
  // The library trips over tokens that are not what Google documents.
  if (!failure)
    return new ProviderError(
      'unreadable',
      `What Google answered about ${asked.for === 'code' ? 'the code' : 'tokens'} is not what it documents.`,
    );
  if (failure.isTooLarge) return new AnswerTooLarge();
  return failure.status === undefined ? explainSilence(failure, asked) : explainAnswer(failure, failure.status, asked);
}

function explainSilence({ isAborted, code }: Failure, { timeoutMs }: Asked): ProviderError {
  if (isAborted) return new ProviderError('unreachable', `Google did not answer to the end within ${timeoutMs} ms.`);
  return new ProviderError('unreachable', `The exchange with Google failed before its answer was complete${inBrackets([code])}.`);
}

const limits = /^(rateLimitExceeded|userRateLimitExceeded|quotaExceeded|dailyLimitExceeded|RATE_LIMIT_EXCEEDED|RESOURCE_EXHAUSTED)$/;

function explainAnswer(failure: Failure, status: number, asked: Asked): ProviderError {
  const { reasons, retryAfter } = failure;
  const says = (reason: string) => reasons.includes(reason);
  if (asked.for === 'code' && says('invalid_grant'))
    return new ProviderError('refused', 'Google refused the code: it is used, expired or was made for another address. Authorise again.');
  const ours = explainClient(says);
  if (ours) return new ProviderError('refused', ours);
  if (status === 429 || status === 503 || (status === 403 && reasons.some((reason) => limits.test(reason))))
    return new ProviderError('busy', `Google asks to slow down (${status}).`, { retryAfterMs: readRetryAfter(retryAfter) });
  if (status >= 500 || status === 408) return new ProviderError('unreachable', `Google failed by itself (${status}).`);
  if (status === 401 || says('invalid_grant') || says('unauthorized_client'))
    return new ProviderError('unauthorized', unauthorized[asked.by]);
  if (status === 400 && isAboutPage(failure, asked)) return new ProviderError('page_expired', 'Google does not know the page any more.');
  if (status === 404 && asked.for === 'members') return new ProviderError('not_found', 'Google has no such group any more.');
  const forbids = status === 403 ? explainForbidden(reasons, asked) : undefined;
  return new ProviderError('refused', forbids ?? `Google refused the request${inBrackets([status, ...reasons])}.`);
}

/** Nobody can give consent to a client that Google does not take. */
function explainClient(says: (reason: string) => boolean): string | undefined {
  if (says('invalid_client')) return 'Google does not know the client: DSYNC_GOOGLE_CLIENT_ID or DSYNC_GOOGLE_CLIENT_SECRET is wrong.';
  if (says('redirect_uri_mismatch'))
    return "Google does not know the address that it is to lead back to: add it to the client's authorised redirect URIs.";
  return undefined;
}

const unauthorized: Record<Access['by'], string> = {
  consent: 'Google does not accept the consent any more: it was withdrawn, or has expired. Authorise again.',
  delegation:
    "Google does not let the service account act for the administrator: its key may be gone, the administrator's address wrong, or its client id lacks the three scopes under domain-wide delegation.",
};

/** Google does not always name the parameter, so it counts what was asked. */
function isAboutPage({ reasons, locations, text }: Failure, { pageToken }: Asked): boolean {
  if (pageToken === undefined) return false;
  return locations.length > 0 ? locations.includes('pageToken') : reasons.includes('invalid') || /page ?token/i.test(text);
}

type Forbidden = [reasons: RegExp, explain: (asked: Asked) => string];

/** The first whose form one of the reasons has. */
const forbidden: Forbidden[] = [
  [/^(accessNotConfigured|SERVICE_DISABLED)$/, () => 'The Admin SDK API is not enabled in the Google Cloud project: enable it there.'],
  [
    /^(domainCannotUseApis|domainPolicy)$/,
    () => 'The Google Workspace domain does not let its API be used: turn on API access in the Admin console.',
  ],
  [
    /^(insufficientPermissions|ACCESS_TOKEN_SCOPE_INSUFFICIENT)$/,
    ({ by }) =>
      by === 'consent'
        ? 'The consent does not cover users, groups and members: authorise again, and allow all three.'
        : 'The service account may not read users, groups and members: add the three scopes to its client id under domain-wide delegation.',
  ],
  [
    /^(forbidden|PERMISSION_DENIED)$/,
    ({ by }) =>
      by === 'consent'
        ? 'Who gave the consent may not read the users and groups: authorise again as an administrator with these privileges.'
        : 'The administrator whose name the service account takes on may not read the users and groups: give these privileges, or name another.',
  ],
];

function explainForbidden(reasons: string[], asked: Asked): string | undefined {
  const known = forbidden.find(([form]) => reasons.some((reason) => form.test(reason)));
  return known?.[1](asked);
}

/** Words of a protocol, and nothing else, may be quoted. */
function inBrackets(words: (string | number)[]): string {
  const quoted = words.filter((word) => /^(\d{3}|[A-Za-z]+(_[A-Za-z]+)*)$/.test(String(word)) && String(word).length <= 50);
  return quoted.length > 0 ? ` (${quoted.join(', ')})` : '';
}
