import { z } from 'zod';
import type { ErrorCode } from '../../../errors.ts';
import { statusOf } from '../../problem.ts';
import { field } from './field.ts';

const codes = Object.keys(statusOf) as [ErrorCode, ...ErrorCode[]];

const problem = z
  .strictObject({
    code: field(z.enum(codes), 'Stable; the message may be reworded.', 'invalid_request'),
    message: field(z.string(), 'A sentence for a person.', 'tenant is required.'),
    field: field(z.string(), 'The field at fault, where there is one.', 'tenant').optional(),
    layer: field(z.string(), 'Of a request over a limit: which kind of limit.', 'project').optional(),
    bucket: field(z.string(), 'Of a request over a limit: the bucket or rule.', '/scim/**').optional(),
  })
  .meta({ id: 'Problem', description: 'Why a request was refused.' });

export const errorAnswer = z.strictObject({ data: z.null(), error: problem }).meta({ id: 'Refusal', description: 'A refusal.' });
