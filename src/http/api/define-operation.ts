import type { Context } from 'koa';
import { z } from 'zod';
import { findFields, rejectUnknownFields, rejectUnknownParameter } from '../../shared/unknown-fields.ts';
import type { Caller } from '../../access/caller.ts';
import type { HttpDeps } from '../deps.ts';
import type { AuthenticatedState } from '../server/authenticated-state.ts';
import { authorize } from '../server/authorize.ts';
import {
  type Access,
  type BodyDescription,
  type Operation,
  type ResponseDescription,
  assertConsistent,
  canonicalOf,
  defaultStatus,
  pathParam,
  type PathParams,
} from '../operation.ts';
import { hasBody, readJson } from '../server/body/read-json.ts';
import { toDirectoryKey } from '../../directory/directories/former-ids.ts';
import { AppError } from '../../errors.ts';
import { exampleDeliveryId, exampleId } from './schema-fields.ts';

type Responses = Record<number, ResponseDescription>;

type Definition<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType, Returned extends Responses> = Access &
  DefinedOperation<Params, Query, Body, Returned>;

interface DefinedOperation<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Returned extends Responses,
> extends Omit<Operation, 'handle' | keyof Access> {
  params?: Params;
  query?: Query;
  /** What callers write instead of a parameter, with the parameter that the error suggests. */
  querySynonyms?: Record<string, string>;
  body?: BodyDescription<Body> & {
    /** Default: suggests a field for one that is nearly its name, then checks the schema. */
    read?: (value: unknown) => z.output<Body>;
  };
  responses: Returned;
  /** Returns the `data` of the response, or its whole body; undefined if it has written the response itself. */
  handler(call: Call<z.output<Params>, z.output<Query>, z.output<Body>>): Promise<ReturnedBy<Returned>> | ReturnedBy<Returned>;
}

interface Call<Params, Query, Body> {
  input: {
    params: Params;
    query: Query;
    body: Body;
    /** The unknown fields of the body. */
    ignored: string[];
  };
  deps: HttpDeps;
  /** Who calls it. Only operations with a scope have one. */
  caller: Caller;
  /** For what only HTTP has: a second success status, headers, whether the caller has left. */
  ctx: Context;
}

type ReturnedBy<Returned extends Responses> = {
  [Status in keyof Returned]: Returned[Status] extends { data: infer Data extends z.ZodType }
    ? z.output<Data>
    : Returned[Status] extends { body: infer Body extends z.ZodType }
      ? z.output<Body>
      : undefined;
}[keyof Returned];

/** An operation of the JSON API. Its input is checked and typed by its schemas; everything is prepared once, when the module loads. */
export function defineOperation<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  const Returned extends Responses,
>({ querySynonyms, body, handler, ...description }: Definition<Params, Query, Body, Returned>): Operation {
  const { query, responses } = description;
  const canonicalNames = Object.fromEntries(
    Object.entries(query?.shape ?? {}).map(([name, schema]) => [name, canonicalOf((schema as z.ZodType).description) ?? name]),
  );
  const readBody = body && (body.read ? toReadBody(body.read) : toReader(body.schema));
  const bodyLimit = body?.maxBytes === undefined ? undefined : { maxBytes: body.maxBytes, maxValues: body.maxValues ?? 1_000 };
  const hasEnvelope = Object.values(responses as Responses).some(({ data }) => data);
  const status = defaultStatus({ responses });

  const operation: Operation = {
    ...description,
    ...(body && { body }),
    async handle(ctx, deps, given) {
      const params = toKeys(given);
      const reaching = description.scope === undefined ? undefined : authorize(ctx, deps, description, params);
      if (reaching) await reaching;
      if (query && ctx.querystring !== '' && description.format !== 'page')
        rejectUnknownParameter(ctx.query, canonicalNames, querySynonyms);
      // `assertConsistent` has compared the schema with the names in the path.
      const checked = { params: params as z.output<Params>, query: (query && parseRequest(query, ctx.query)) as z.output<Query> };
      const read = readBody?.(body!.isOptional && !hasBody(ctx) ? {} : await readJson(ctx, bodyLimit ?? deps.bodies.api));
      const input = { ...checked, body: read?.body as z.output<Body>, ignored: read?.ignored ?? [] };
      ctx.status = status;
      const returned = await handler({ input, deps, caller: (ctx.state as AuthenticatedState).caller, ctx });
      if (returned !== undefined) ctx.body = hasEnvelope ? { data: returned, error: null } : returned;
    },
  };
  assertConsistent(operation);
  return operation;
}

type ReadBody<Body> = (value: unknown) => { body: Body; ignored?: string[] };

function toReader<Body extends z.ZodType>(schema: Body): ReadBody<z.output<Body>> {
  const fields = findFields(schema);
  return (value) => ({ ignored: rejectUnknownFields(value, fields), body: parseRequest(schema, value) });
}

const toReadBody =
  <Body>(read: (value: unknown) => Body): ReadBody<Body> =>
  (value) => ({ body: read(value) });

/** Checks a part of a request. The message names every field that is invalid; the error's `field` is the first. */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap((issue) => toProblems(issue, value));
  const [first] = problems;
  throw new AppError(
    'invalid_request',
    first?.field ? `${problems.map(({ field, message }) => `${field} ${message}`).join('; ')}.` : 'The request must be a JSON object.',
    first?.field ? { field: first.field } : {},
  );
}

interface Problem {
  field: string;
  message: string;
}

const toField = (path: PropertyKey[]) => path.join('.');

function toProblems(issue: z.core.$ZodIssue, value: unknown): Problem[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.slice(0, 3).map((key) => toField([...path, key.slice(0, 100)]));
    return names.map((field) => ({ field, message: 'is not a known field' }));
  }
  if (valueAt(value, path) === undefined) return [{ field: toField(path), message: 'is required' }];
  return [{ field: toField(path), message: isDefaultMessage(issue) ? 'must be an object' : issue.message }];
}

/** Of a schema of an object: the schemas of all other types have messages of their own. */
const isDefaultMessage = (issue: z.core.$ZodIssue) =>
  issue.code === 'invalid_type' && ['object', 'record'].includes(issue.expected) && issue.message.startsWith('Invalid input');

const valueAt = (value: unknown, path: PropertyKey[]): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | null | undefined)?.[key], value);

const directoryId = pathParam("The directory's ID.", exampleId);

const toKeys = ({ directoryId: id, ...others }: PathParams): PathParams =>
  id === undefined ? others : { ...others, directoryId: toDirectoryKey(id) };

export const directoryParams = z.object({ directoryId });
export const deliveryParams = z.object({ directoryId, deliveryId: pathParam('The `webhook-id` of the delivery.', exampleDeliveryId) });
export const replayParams = z.object({ directoryId, replayId: pathParam("The replay's ID.", exampleId) });
export const recordedRequestParams = z.object({ directoryId, requestId: pathParam("The record's ID.", exampleId) });
export const runParams = z.object({ directoryId, runId: pathParam("The sync run's ID.", exampleId) });
