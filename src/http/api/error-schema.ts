import { z } from 'zod';
import type { ErrorCode } from '../../errors.ts';
import { statusOf } from '../server/errors.ts';
import { field } from './schema-fields.ts';
import { type Warning, warningCodes } from '../../directory/delivery/webhook-settings.ts';

const codes = Object.keys(statusOf) as [ErrorCode, ...ErrorCode[]];

export const apiErrorSchema = z
  .strictObject({
    code: field(z.enum(codes), 'Stable. Programs can rely on it.', 'invalid_request'),
    message: field(z.string(), 'A human-readable message; its wording may change.', 'tenant is required.'),
    status: field(z.int(), 'The HTTP status of the response, which is the `code` of an error of Polis.', 400),
    field: field(z.string(), 'The invalid field of the request, where there is one.', 'tenant').optional(),
    layer: field(z.string(), 'For a rate-limited request: the kind of limit.', 'project').optional(),
    bucket: field(z.string(), 'For a rate-limited request: the bucket or rule.', '/scim/**').optional(),
    events: field(z.record(z.string(), z.int()), 'For a request to be confirmed: the number of events that it would send, by type.', {
      'user.deleted': 412,
    }).optional(),
    confirm: field(z.int(), 'For a request to be confirmed: the value to send as `confirm`.', 412).optional(),
  })
  .extend({
    problems: field(
      z.array(
        z.strictObject({
          file: field(z.string(), 'The file.', 'users.csv'),
          line: field(z.int().nullable(), 'The line of the file; the first is 1. Null: the whole file.', 3),
          column: field(z.int().nullable(), 'The number of the field within the line; the first is 1. Null: the whole line.', 5),
          message: field(z.string(), 'What is wrong there.', 'active must be true, false, yes, no, 1, 0, active or inactive, or empty.'),
        }),
      ),
      'For files that were not accepted: the first places where they are wrong.',
      [],
    ).optional(),
    more_problems: field(z.int(), 'For files that were not accepted: how many more such places there are.', 0).optional(),
  })
  .meta({ id: 'ApiError', description: 'Why a request failed.' });

export const errorResponseSchema = z
  .strictObject({ data: z.null(), error: apiErrorSchema })
  .meta({ id: 'ErrorResponse', description: 'The response to a request that failed.' });

const warning = z
  .strictObject({
    code: field(z.enum(warningCodes), 'The kind of warning.', 'short_webhook_secret'),
    field: field(z.string(), 'The field of the request.', 'webhook_secret'),
    message: field(z.string(), 'A human-readable message.', 'webhook_secret has 8 characters: …'),
  })
  .meta({ id: 'Warning', description: 'The request succeeded, but a value in it may be a mistake.' }) satisfies z.ZodType<Warning>;

export const warnings = z.array(warning).optional().meta({ description: 'Values that may be a mistake. Missing if there are none.' });
