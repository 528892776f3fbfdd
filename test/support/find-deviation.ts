import { tokenPath } from '../../src/http/oauth/token-path.ts';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { createDocument } from '../../src/http/openapi/create-document.ts';
import type { OpenApiDocument, OpenApiOperation } from '../../src/http/openapi/open-api-document.ts';
import { escapePointer, findOperation } from './find-operation.ts';

export interface HttpExchange {
  method: string;
  path: string;
  /** If it was text. */
  sent?: string | undefined;
  status: number;
  contentType: string;
  text: string;
}

const document = JSON.parse(
  JSON.stringify(createDocument({ baseUrl: 'https://sync.example', version: 'test', limiting: true })),
) as OpenApiDocument;
// Another test validates the document itself.
const ajv = new Ajv2020({ strict: false, allErrors: false, validateSchema: false });
addFormats.default(ajv);
ajv.addSchema(document, 'description');

const validators = new Map<string, ValidateFunction>();

/** Returns a sentence about a deviation from the OpenAPI document, or undefined. */
export function findDeviation(exchange: HttpExchange): string | undefined {
  const { method, path, status } = exchange;
  // The pages of the console are no part of the API.
  if (/^\/console(\/|$)/.test(path)) return undefined;
  const found = findOperation(document, method, path);
  const wrong = isUnreadable(exchange) ? undefined : found ? checkResponse(found, exchange) : checkElsewhere(exchange);
  if (wrong === undefined) return undefined;
  return `${method} ${path} got ${status}, which does not match the OpenAPI document: ${wrong}. The response: ${exchange.text.slice(0, 600)}`;
}

/** An unreadable request gets the same response at any path. */
const isUnreadable = ({ status, contentType, text }: HttpExchange) =>
  [400, 408, 413, 431].includes(status) &&
  mediaTypeOf(contentType) === 'application/json' &&
  checkText('#/components/schemas/UnreadableRequestError', 'application/json', text) === undefined;

function checkResponse(
  { operation, pointer }: { operation: OpenApiOperation; pointer: string },
  exchange: HttpExchange,
): string | undefined {
  const { method, status, contentType, text } = exchange;
  const response = operation.responses[String(status)];
  // HEAD is not allowed where a link scanner would use up the link.
  if (method === 'HEAD' && status === 405) return undefined;
  if (!response) return `${operation.operationId} does not document this status`;
  if (method === 'HEAD' || status === 304) return undefined;
  if (!response.content) return text === '' ? undefined : `${operation.operationId} does not document a body`;
  const type = mediaTypeOf(contentType);
  if (!response.content[type]) return `${operation.operationId} does not document the content type ${type || '(none)'}`;
  const wrong = checkText(`${pointer}/responses/${status}/content/${escapePointer(type)}/schema`, type, text);
  return wrong ?? (status < 300 ? checkRequest({ operation, pointer }, exchange) : undefined);
}

/** An accepted request must match the document. SCIM is an exception, because providers deviate from the standard. */
function checkRequest(
  { operation, pointer }: { operation: OpenApiOperation; pointer: string },
  { sent }: HttpExchange,
): string | undefined {
  if (!sent || !operation.requestBody || operation.tags.includes('SCIM')) return undefined;
  const type = operation.requestBody.content[formType] ? formType : 'application/json';
  const wrong = checkText(`${pointer}/requestBody/content/${escapePointer(type)}/schema`, type, sent);
  return wrong && `it accepted an undocumented request: ${wrong}, in ${sent.slice(0, 300)}`;
}

const formType = 'application/x-www-form-urlencoded';

/** Another method or an unknown path gets an error in the format of its prefix. */
function checkElsewhere({ method, path, status, contentType, text }: HttpExchange): string | undefined {
  if (method === 'OPTIONS' && status === 204) return undefined;
  if (status < 400) return 'this path and method are not documented';
  if (method === 'HEAD') return undefined;
  const isScim = path.startsWith('/api/scim') && !path.startsWith('/api/scim/oauth/');
  const type = mediaTypeOf(contentType);
  if (type === 'text/html' && path.startsWith('/api/scim/oauth/')) return undefined;
  if (type !== (isScim ? 'application/scim+json' : 'application/json')) return `an error has the content type ${type}`;
  const schema = isScim ? 'ScimError' : path === tokenPath ? 'TokenError' : 'ErrorResponse';
  return checkText(`#/components/schemas/${schema}`, type, text);
}

function checkText(pointer: string, type: string, text: string): string | undefined {
  const validate = validatorOf(pointer);
  let value: unknown = text;
  try {
    if (type.endsWith('json')) value = JSON.parse(text);
    if (type === formType) value = Object.fromEntries(new URLSearchParams(text));
  } catch {
    return 'it is not JSON';
  }
  if (validate(value)) return undefined;
  return (validate.errors ?? [])
    .map(({ instancePath, message, params }) => `${instancePath || 'the whole'} ${message} ${JSON.stringify(params)}`)
    .join('; ');
}

function validatorOf(pointer: string): ValidateFunction {
  const known = validators.get(pointer) ?? ajv.compile({ $ref: `description${pointer}` });
  validators.set(pointer, known);
  return known;
}

const mediaTypeOf = (contentType: string) => contentType.split(';')[0]!.trim();
