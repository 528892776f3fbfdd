import type { Context } from 'koa';
import type { z } from 'zod';
import type { HttpDeps } from '../deps.ts';
import {
  pathParam,
  assertConsistent,
  defaultStatus,
  type Access,
  type Operation,
  type PathParams,
  type ResponseDescription,
} from '../operation.ts';
import { exampleId } from '../api/schema-fields.ts';
import { sendScim } from './send-scim.ts';

export type ScimContext = Context & { state: { directoryId: string } };

export interface ScimCall {
  ctx: ScimContext;
  deps: HttpDeps;
  params: PathParams;
}

export const scimRoot = '/api/scim/v2.0/{directory}';

/** The directory is found, and its secret checked, before a path is routed. */
export const directoryParam = { directory: pathParam("The directory's ID.", exampleId) };

/**
 * An operation of SCIM. Its schemas describe what providers should send. What they do send is read by `src/scim`, which accepts the known
 * deviations from the standard. The handler returns the body, if there is one.
 */
export function defineScimOperation({
  handler,
  ...description
}: Omit<Operation, 'handle' | 'tag' | 'format' | keyof Access> & { handler(call: ScimCall): unknown }): Operation {
  const status = defaultStatus(description);
  const operation: Operation = {
    ...description,
    tag: 'SCIM',
    auth: 'scimSecret',
    format: 'scim',
    async handle(ctx, deps, params) {
      ctx.status = status;
      const body = await handler({ ctx, deps, params });
      if (body !== undefined) await sendScim(ctx, body);
    },
  };
  assertConsistent(operation);
  return operation;
}

export const scimResponse = (
  description: string,
  schema: z.ZodType,
  more: Pick<ResponseDescription, 'headers' | 'example'> = {},
): ResponseDescription => ({ description, body: schema, ...more });
