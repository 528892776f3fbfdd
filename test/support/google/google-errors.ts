export interface FakeResponse {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer | object;
  /** The connection is closed in the middle of it. */
  isCut?: boolean;
}

/** `drop` closes the connection without an answer, `hang` never answers, `cut` does so in the middle of the right answer. */
export type Fault = 'drop' | 'hang' | 'cut' | FakeResponse;

/** As the Directory API writes its errors. */
export const apiError = (
  status: number,
  reason: string,
  message: string,
  more: object = {},
): Required<Pick<FakeResponse, 'status' | 'body'>> => ({
  status,
  body: { error: { code: status, message, errors: [{ message, domain: 'global', reason, ...more }] } },
});

/** As the token endpoint does. */
export const oauthError = (status: number, error: string, description = 'Bad Request'): FakeResponse => ({
  status,
  body: { error, error_description: description },
});

export const quotaError = (): FakeResponse =>
  apiError(403, 'quotaExceeded', 'Request rate higher than configured.', { domain: 'usageLimits' });

export const tooManyRequests = (retryAfter?: string): FakeResponse => ({
  ...apiError(429, 'rateLimitExceeded', 'Too many requests.', { domain: 'usageLimits' }),
  ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
});

export const backendError = (): FakeResponse => apiError(500, 'backendError', 'Internal Error');

export const invalidCredentials = (): FakeResponse => ({
  ...apiError(401, 'authError', 'Invalid Credentials', { locationType: 'header', location: 'Authorization' }),
  headers: { 'www-authenticate': 'Bearer realm="https://accounts.google.com/", error="invalid_token"' },
});

/** It does not say which parameter it means. */
export const invalidPageToken = (): FakeResponse => apiError(400, 'invalid', 'Invalid Input');

export const groupNotFound = (): FakeResponse => apiError(404, 'notFound', 'Resource Not Found: groupKey');
