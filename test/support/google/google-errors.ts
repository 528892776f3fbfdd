export interface FakeResponse {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer | object;
  /** Closes the connection in the middle of the body. */
  isCut?: boolean;
}

/** `drop` closes the connection without a response, `hang` never responds, `cut` closes it in the middle of the response. */
export type Fault = 'drop' | 'hang' | 'cut' | FakeResponse;

/** An error of the Directory API. */
export const apiError = (
  status: number,
  reason: string,
  message: string,
  more: object = {},
): Required<Pick<FakeResponse, 'status' | 'body'>> => ({
  status,
  body: { error: { code: status, message, errors: [{ message, domain: 'global', reason, ...more }] } },
});

/** An error of the token endpoint. */
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

/** Does not name the parameter. */
export const invalidPageToken = (): FakeResponse => apiError(400, 'invalid', 'Invalid Input');

export const groupNotFound = (): FakeResponse => apiError(404, 'notFound', 'Resource Not Found: groupKey');
