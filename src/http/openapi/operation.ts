import { z } from 'zod';
import type { HeaderName } from './headers.ts';
import type { TagName } from './tags.ts';

/** One thing that can be asked for over HTTP, and what is answered. */
export interface Operation {
  /** `<area>.<verb>` for what the typed client has too. */
  operationId: string;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** As OpenAPI writes it, with the router's own names: `/api/v1/directory-sync/{directoryId}`. */
  path: string;
  tag: TagName;
  summary: string;
  description?: string;
  auth: 'apiKey' | 'scimSecret' | 'gateway' | 'none';
  /** In which dialect it refuses. */
  dialect?: 'json' | 'scim' | 'page';
  query?: z.ZodType[];
  headers?: readonly HeaderName[];
  /** With an example where that of the schema does not fit. */
  body?: { schema: z.ZodType; isOptional?: boolean; example?: unknown };
  answers: Record<number, Answer>;
  /** Beside those that its kind of request has anyway; with a sentence where the usual one does not say enough. */
  refusals?: Record<number, string | true>;
  /** Served only where requests are limited. */
  isOfLimits?: boolean;
}

export interface Answer {
  description: string;
  content?: Record<string, z.ZodType>;
  headers?: readonly HeaderName[];
}

/** The JSON API's envelope. */
export const inEnvelope = (data: z.ZodType) => ({ 'application/json': z.strictObject({ data, error: z.null() }) });

export const answerOf = (description: string, data: z.ZodType): Answer => ({ description, content: inEnvelope(data) });
