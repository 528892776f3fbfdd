import { z } from 'zod';

const about = <Schema extends z.ZodType>(schema: Schema, description: string, example: unknown) =>
  schema.meta({ description, examples: [example] });

const whole = z.int().min(0);

/** Headers of requests and answers that somebody may want to read or write. */
export const headers = {
  ETag: about(z.string(), 'The version of what is answered.', 'W/"3"'),
  Location: about(
    z.string(),
    'The address of what is answered, or where to go on.',
    'https://sync.example/api/scim/v2.0/1f0c…/Users/2c8e…',
  ),
  'Retry-After': about(whole, 'In how many seconds it makes sense to try again.', 5),
  'X-Request-Id': about(z.string(), 'The id under which the log tells of this request.', '0f9d3c0e-6f0f-4a9e-8f4c-6d3f3a1b2c4d'),
  'RateLimit-Policy': about(
    z.string(),
    'The quotas that hold, each with its window in seconds.',
    '"burst";q=10;w=1, "sustained";q=300;w=60',
  ),
  RateLimit: about(
    z.string(),
    'What is left of each quota, and in how many seconds it is whole again.',
    '"burst";r=9;t=1, "sustained";r=299;t=60',
  ),
  'X-RateLimit-Limit': about(whole, 'The quota of the window with least in it.', 10),
  'X-RateLimit-Remaining': about(whole, 'What is left in that window.', 0),
  'X-RateLimit-Reset': about(whole, 'In how many seconds that window is whole again.', 1),
  'X-Rollcall-Lease': about(z.string(), 'What is to be given back when the request is done.', '6c0f3b8e-9f0e-4d0c-8b57-0d8a4a6a1f22'),
  'WWW-Authenticate': about(z.string(), 'How to authenticate.', 'Api-Key'),
  'Cache-Control': about(z.string(), 'How long the answer may be kept.', 'no-cache'),
  'If-Match': about(z.string(), 'Go on only if the resource is still of this version.', 'W/"3"'),
  'If-None-Match': about(z.string(), 'Answer with 304 if it is still of this version.', 'W/"3"'),
} satisfies Record<string, z.ZodType>;

export type HeaderName = keyof typeof headers;
