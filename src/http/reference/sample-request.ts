import {
  type DescribedDocument,
  type ListedOperation,
  type Parameter,
  type SecurityScheme,
  exampleOf,
} from '../openapi/described-document.ts';
/** A variable of the environment, such as `DIRECTORY_ID`, or the value itself. */
export type SampleValue = { variable: string } | { literal: unknown };

/** The request that the samples of an operation send, in any language. */
export interface SampleRequest {
  operationId: string;
  method: string;
  /** The path, split at its parameters. A literal is text, already percent-encoded. */
  path: SampleValue[];
  pathArguments: SampleValue[];
  query: [name: string, value: SampleValue][];
  /** For example the header `Authorization`, the prefix `Bearer ` and the variable `SCIM_SECRET`. */
  credentials: { header: string; prefix: string; variable: string } | undefined;
  body: { mediaType: string; value: unknown } | undefined;
  /** Whether a successful response is JSON. */
  returnsJson: boolean;
}

export function toSampleRequest(document: DescribedDocument, operation: ListedOperation): SampleRequest {
  const { operationId, method, path, parameters, requestBody, responses, security = [] } = operation;
  const valueOf = (parameter: Parameter): SampleValue =>
    isId(parameter.name)
      ? { variable: variableOf(parameter.name) }
      : { literal: parameter.example ?? exampleOf(document, parameter.schema) };
  const argumentOf = (name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
    return parameter ? valueOf(parameter) : { variable: variableOf(name) };
  };
  // Split at `{name}`: every second part is a name.
  const parts = path.split(/\{([^}]+)\}/);
  const [mediaType, content] = (requestBody?.required && Object.entries(requestBody.content)[0]) || [];
  const [scheme] = Object.keys(security[0] ?? {});
  return {
    operationId,
    method,
    path: parts.map((part, place) => (place % 2 === 0 ? { literal: part } : encodeLiteral(argumentOf(part)))),
    pathArguments: parts.filter((_, place) => place % 2 === 1).map(argumentOf),
    query: queryOf(parameters).map((parameter) => [parameter.name, valueOf(parameter)]),
    credentials: scheme === undefined ? undefined : credentialsOf(document.components?.securitySchemes?.[scheme] ?? {}, scheme),
    body: mediaType && content ? { mediaType, value: content.example ?? exampleOf(document, content.schema) } : undefined,
    returnsJson: Object.entries(responses).some(([status, { content: types = {} }]) => isJson(types) && Number(status) < 300),
  };
}

const isJson = (types: object) => Object.keys(types)[0]?.endsWith('json') === true;

const encodeLiteral = (value: SampleValue): SampleValue => ('literal' in value ? { literal: encodeURI(String(value.literal)) } : value);

/** The required parameters. If there are none, the directory, for operations that need a selector. */
function queryOf(parameters: Parameter[]): Parameter[] {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const required = query.filter((parameter) => parameter.required);
  return required.length > 0 ? required : query.filter(({ name }) => /^directory_?id$/i.test(name)).slice(0, 1);
}

/** IDs become variables. Other names could be variables that a shell already has, such as PATH. */
const isId = (name: string) => /^(id|directory|.+(Id|_id))$/.test(name);

/** `directoryId` → `DIRECTORY_ID`. */
const variableOf = (name: string) =>
  (name === 'directory' ? 'directoryId' : name)
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll(/\W/g, '_')
    .toUpperCase();

function credentialsOf({ type, scheme = '', name = 'Authorization' }: SecurityScheme, id: string) {
  const variable = id === 'apiKey' ? 'ROLLCALL_API_KEY' : variableOf(id);
  if (type !== 'http' && name.toLowerCase() !== 'authorization') return { header: name, prefix: '', variable };
  const word = type === 'http' ? (scheme === 'bearer' ? 'Bearer' : scheme) : 'Api-Key';
  return { header: 'Authorization', prefix: `${word} `, variable };
}
