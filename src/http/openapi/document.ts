import { unreadable } from './answers/unreadable.ts';
import { createComponents } from './components.ts';
import { describeHeaders } from './describe-headers.ts';
import { describeOperation, toResponse } from './describe-operation.ts';
import { introduction } from './introduction.ts';
import type { OpenApiDocument } from './open-api-document.ts';
import { operations } from './operations.ts';
import { tags, type TagName } from './tags.ts';
import { describeWebhooks } from './webhooks.ts';

export interface DocumentOptions {
  /** Under which the service is reached. */
  baseUrl: string;
  version: string;
  /** Whether requests are limited: only then there are addresses of limits, and refusals for too many requests. */
  limiting: boolean;
}

/** The whole HTTP surface as OpenAPI 3.1. The same options make the same document. */
export function createDocument({ baseUrl, version, limiting }: DocumentOptions): OpenApiDocument {
  const describing = { components: createComponents(), limiting };
  const served = operations.filter(({ isOfLimits }) => limiting || !isOfLimits);
  const paths: OpenApiDocument['paths'] = {};
  for (const operation of served) (paths[operation.path] ??= {})[operation.method] = describeOperation(operation, describing);
  const webhooks = describeWebhooks(describing.components);
  const responses = { Unreadable: toResponse(unreadableAnswer, describing) };
  const used = new Set(served.map(({ tag }) => tag));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Rollcall',
      version,
      summary: 'Directory sync: SCIM 2.0 in, ordered and signed webhooks out.',
      description: introduction,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: Object.entries(tags)
      .filter(([name]) => used.has(name as TagName))
      .map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      schemas: describing.components.schemas(),
      responses,
      headers: describeHeaders(describing.components, { limiting }),
      securitySchemes,
    },
  };
}

const unreadableAnswer = {
  description: 'What can not be read as a request: 400, 408, 413 or 431.',
  content: { 'application/json': unreadable },
};

const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: '`Authorization: Api-Key <key>`, with a key of the service. Any other word before the key will do as well.',
  },
  scimSecret: { type: 'http', scheme: 'bearer', description: "The directory's SCIM secret: `scim.secret` of a directory." },
};
