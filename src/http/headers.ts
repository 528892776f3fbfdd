import { z } from 'zod';
import { field } from './api/field.ts';

const whole = z.int().min(0);

/** The headers of requests and responses that callers may want to read or send. */
export const headers = {
  ETag: field(z.string(), 'The version of the resource or file.', 'W/"3"'),
  Location: field(
    z.string(),
    'The address of the resource, or of the next request.',
    'https://sync.example/api/scim/v2.0/1f0c…/Users/2c8e…',
  ),
  'Retry-After': field(whole, 'The number of seconds to wait before the next attempt.', 5),
  'X-Request-Id': field(z.string(), 'The ID of the request in the log.', '0f9d3c0e-6f0f-4a9e-8f4c-6d3f3a1b2c4d'),
  'RateLimit-Policy': field(z.string(), 'The quotas, each with its window in seconds.', '"burst";q=10;w=1, "sustained";q=300;w=60'),
  RateLimit: field(
    z.string(),
    'What is left of each quota, and the seconds until it is full again.',
    '"burst";r=9;t=1, "sustained";r=299;t=60',
  ),
  'X-RateLimit-Limit': field(whole, 'The quota of the window with the least left.', 10),
  'X-RateLimit-Remaining': field(whole, 'What is left in that window.', 0),
  'X-RateLimit-Reset': field(whole, 'The seconds until that window is full again.', 1),
  'X-Rollcall-Lease': field(z.string(), 'The lease. Release it when the request is done.', '6c0f3b8e-9f0e-4d0c-8b57-0d8a4a6a1f22'),
  'WWW-Authenticate': field(z.string(), 'The authentication scheme.', 'Api-Key'),
  'Cache-Control': field(z.string(), 'How long the response may be cached.', 'no-cache'),
  'If-Match': field(z.string(), 'Fail with 412 unless the resource has this version.', 'W/"3"'),
  'If-None-Match': field(z.string(), 'Respond with 304 if it still has this version.', 'W/"3"'),
} satisfies Record<string, z.ZodType>;

export type HeaderName = keyof typeof headers;
