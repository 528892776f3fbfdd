import type { Context } from 'koa';
import { z } from 'zod';
import type { Scope } from '../access/scopes.ts';
import type { AuditAction } from '../audit/act.ts';
import type { HttpDeps } from './deps.ts';
import { count, field } from './api/schema-fields.ts';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * One route: what a request looks like, what it returns, and the code that handles it. The router, the OpenAPI document and the typed
 * client are all built from the list of operations, without any dependencies.
 */
export type Operation = DescribedOperation & Access;

/** Who may call an operation. One that takes an API key has a scope, or it does not compile. */
export type Access =
  | {
      auth: 'apiKey' | 'gateway';
      scope: Scope;
      /**
       * What a narrowed key reaches, if the path names no directory: what its handler finds within `caller.narrowed`, or nothing, because the
       * operation works for the whole service.
       */
      reach?: 'narrowed' | 'deployment';
    }
  | { auth: 'scimSecret' | 'session' | 'none'; scope?: undefined; reach?: undefined };

interface DescribedOperation {
  /** `<area>.<verb>` for operations that the typed client has as methods. */
  id: string;
  method: Method;
  /** As OpenAPI writes it: `/api/v1/directory-sync/{directoryId}`. */
  path: string;
  /** Other paths of the same operation. They are routed, and not in the OpenAPI document. */
  aliases?: readonly string[];
  /** Other methods of the same operation. They are routed, and not in the OpenAPI document. */
  aliasMethods?: readonly Method[];
  tag: TagName;
  /** How errors are written: the JSON API's envelope (default), SCIM's error message, a page, or as OAuth defines them. */
  format?: 'json' | 'scim' | 'page' | 'oauth';
  /** What the operation does, as a heading: "List directories". */
  title: string;
  description?: string;
  /** The names in the path, in their order. */
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** Request headers. */
  headers?: readonly HeaderName[];
  body?: BodyDescription;
  /** The body is bytes that the handler reads itself, by media type. */
  upload?: Record<string, z.ZodType>;
  responses: Record<number, ResponseDescription>;
  /** Errors beyond those that every operation of this kind may return. `true` uses the default sentence for the status. */
  errors?: Record<number, string | true>;
  /** What it adds to the audit log, or why it adds nothing. An operation of the JSON API that is more than a read must say so. */
  audit?: readonly AuditAction[] | { none: string };
  /** Served only when rate limits are configured. */
  requiresLimits?: boolean;
  /** Also handles every method that the path has no operation for. */
  handlesAnyMethod?: boolean;
  handle(ctx: Context, deps: HttpDeps, params: PathParams): Promise<void>;
}

/** Decoded, but not checked. */
export type PathParams = Record<string, string>;

export interface BodyDescription<Schema extends z.ZodType = z.ZodType> {
  schema: Schema;
  isOptional?: boolean;
  /** The maximum size, where it is not that of all operations. */
  maxBytes?: number;
  /** The maximum number of JSON values, beside `maxBytes`; default: 1,000. */
  maxValues?: number;
  /** Where the schema's own example does not fit. */
  example?: unknown;
}

export interface ResponseDescription {
  description: string;
  headers?: readonly HeaderName[];
  /** The `data` of the JSON API's envelope. */
  data?: z.ZodType;
  /** A whole body, without the envelope. */
  body?: z.ZodType;
  /** Bodies by media type, where it is not the usual one. */
  content?: Record<string, z.ZodType>;
  /** Where the example that is made from the schema does not fit. */
  example?: unknown;
}

/** The parameter that an alias stands for, which its description names. */
export const canonicalOf = (description = ''): string | undefined => /^Alias of `([^`]+)`\.$/.exec(description)?.[1];

export const pathParam = (description: string, example: string) => z.string().meta({ description, examples: [example] });

const namesInPath = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

/** The status of an operation's response, unless its handler sets another. */
export function defaultStatus({ responses }: Pick<Operation, 'responses'>): number {
  const [status = 200] = Object.keys(responses).map(Number);
  return status;
}

/** Fails while modules load, so that a wrong operation is never served. */
export function assertConsistent({ id, path, params, scope, reach, audit, ...operation }: Operation): Operation['params'] {
  if (!audit && isAct(operation)) throw new Error(`${id}: audit must name what it adds to the audit log, or say why it adds nothing.`);
  const described = Object.keys(params?.shape ?? {});
  if (described.join() !== namesInPath(path).join()) throw new Error(`${id}: params must describe the names in ${path}.`);
  if ((scope !== undefined && !namesDirectory(path)) !== (reach !== undefined))
    throw new Error(`${id}: reach must be given if there is a scope and ${path} does not name the directory.`);
  return params;
}

/** A narrowed key is compared with this directory before the operation is handled. */
export const namesDirectory = (path: string): boolean => path.includes('{directoryId}');

/** Changes by identity providers are events. The pages of a consent are GET requests, and name what they add. */
const isAct = ({ method, aliasMethods = [], auth }: Pick<Operation, 'method' | 'aliasMethods' | 'auth'>) =>
  (auth === 'apiKey' || auth === 'gateway' || auth === 'session') && [method, ...aliasMethods].some((one) => one !== 'get');

/** The reference page shows them in this order. */
export const tags = {
  Directories: 'The connections of tenants and products to identity providers.',
  'OAuth clients':
    'With an OAuth client, an identity provider gets access tokens for SCIM, in place of the SCIM secret (RFC 6749, section 4.4).',
  Users: 'The users in the directories.',
  Groups: 'The groups in the directories, and their members.',
  Attributes: 'Attribute schemas of products, and where the attributes of a directory come from.',
  Roles: 'Role tables of directories: which roles follow from groups.',
  Events: 'The event feed: every change, in order, to fetch instead of receiving webhooks.',
  Deliveries: "Deliveries to a directory's webhook: state, log, retries, tests and secrets.",
  Replays: 'Sending events again.',
  'API keys': 'Keys with scopes, for callers that must not have a key of `API_KEYS`.',
  Sessions: 'Signing in with a browser.',
  'Webhook events': 'The delivery log in the form of Ory Polis.',
  Files: 'Uploads for directories of type `csv`, and the tokens for them.',
  Syncs: 'Sync runs of directories that are pulled from a provider.',
  Google: 'Authorization of directories of type `google`.',
  Entra: 'Consent for directories of type `entra`.',
  'Setup links': 'Addresses at which an administrator of a customer sets up the directory, in the form of Ory Polis.',
  'Audit log': 'Who did what: administrative actions, reads of secrets, and rejected credentials.',
  Stats: 'Counts.',
  Limits: 'Rate limits. Served only when rate limits are configured.',
  Health: 'Liveness, readiness and metrics of a process.',
  Docs: 'This documentation.',
  SCIM: 'The API that identity providers push to: SCIM 2.0 (RFC 7643, RFC 7644), below the SCIM address of a directory.',
} as const;

export type TagName = keyof typeof tags;

/** The headers of requests and responses that callers may want to read or send. */
export const headers = {
  ETag: field(z.string(), 'The version of the resource or file.', 'W/"3"'),
  Location: field(
    z.string(),
    'The address of the resource, or of the next request.',
    'https://sync.example/api/scim/v2.0/1f0c…/Users/2c8e…',
  ),
  'Retry-After': field(count, 'The number of seconds to wait before the next attempt.', 5),
  'X-Request-Id': field(z.string(), 'The ID of the request in the log.', '0f9d3c0e-6f0f-4a9e-8f4c-6d3f3a1b2c4d'),
  'RateLimit-Policy': field(z.string(), 'The quotas, each with its window in seconds.', '"burst";q=10;w=1, "sustained";q=300;w=60'),
  RateLimit: field(
    z.string(),
    'The rest of each quota, and the seconds until it is full again.',
    '"burst";r=9;t=1, "sustained";r=299;t=60',
  ),
  'X-RateLimit-Limit': field(count, 'The quota of the window with the fewest requests left.', 10),
  'X-RateLimit-Remaining': field(count, 'The number of requests left in that window.', 0),
  'X-RateLimit-Reset': field(count, 'The seconds until that window is full again.', 1),
  'X-Rollcall-Lease': field(z.string(), 'The lease. Release it when the request is done.', '6c0f3b8e-9f0e-4d0c-8b57-0d8a4a6a1f22'),
  'WWW-Authenticate': field(z.string(), 'The authentication scheme.', 'Api-Key'),
  'Set-Cookie': field(
    z.string(),
    'The cookie of the session.',
    '__Host-rollcall_session=k3J9…; Path=/; Max-Age=43200; SameSite=Strict; HttpOnly; Secure',
  ),
  'Cache-Control': field(z.string(), 'How long the response may be cached.', 'no-cache'),
  'If-Match': field(z.string(), 'Fail with 412 unless the resource has this version.', 'W/"3"'),
  'If-None-Match': field(z.string(), 'Respond with 304 if it still has this version.', 'W/"3"'),
} satisfies Record<string, z.ZodType>;

export type HeaderName = keyof typeof headers;
