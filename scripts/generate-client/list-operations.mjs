import { propertyName, typeName } from './names.mjs';
import { ScriptError } from '../prepare/run.mjs';
import { isPlainObject, typeOf } from './type-of.mjs';

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** The operations of the client: those whose ID is `<area>.<verb>`, with their argument and response types. */
export function listOperations(document) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method]?.operationId?.includes('.'))
      .map((method) => readOperation(document, { method, path, item, described: item[method] })),
  );
}

function readOperation(document, { method, path, item, described }) {
  const id = described.operationId;
  const [area, verb, ...more] = id.split('.');
  if (!area || !verb || more.length > 0) throw new ScriptError(`The operationId ${id} must be <area>.<verb>, like directories.create.`);
  const parameters = [...(item.parameters ?? []), ...(described.parameters ?? [])].map((parameter) => follow(document, parameter));
  const pathParameters = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({
    name,
    description: parameters.find((parameter) => parameter.in === 'path' && parameter.name === name)?.description,
  }));
  const query = queryOf(id, parameters);
  const body = bodyOf(document, id, described.requestBody);
  const left = Object.keys(query?.schema.properties ?? {}).filter((name) => body && !(name in body.properties));
  if (left.length > 0)
    throw new ScriptError(`${id} takes a body, and ${left.join(', ')} in the query: a method of the client takes only one of the two.`);
  return {
    id,
    area,
    verb,
    method: method.toUpperCase(),
    path,
    summary: described.summary,
    description: described.description,
    pathParameters,
    takes: body ? 'body' : query ? 'query' : 'nothing',
    argument: body ?? query,
    response: responseOf(document, id, described.responses),
  };
}

function queryOf(id, parameters) {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  if (inQuery.length === 0) return undefined;
  const schema = {
    type: 'object',
    properties: Object.fromEntries(
      inQuery.map(({ name, description, schema: type }) => [name, { ...type, description: description ?? type?.description }]),
    ),
    required: inQuery.filter(({ required }) => required).map(({ name }) => name),
  };
  return { name: `${typeName(id)}Query`, schema, isNeeded: schema.required.length > 0 };
}

function bodyOf(document, id, requestBody) {
  if (!requestBody) return undefined;
  const { content, required = false } = follow(document, requestBody);
  const schema = content['application/json']?.schema;
  if (!schema) throw new ScriptError(`${id} takes a body that is not application/json.`);
  const properties = propertiesOf(document, schema);
  return schema.$ref
    ? { name: typeOf(schema), isNeeded: required, properties, component: schema.$ref }
    : { name: `${typeName(id)}Body`, isNeeded: required, properties, schema };
}

/** `data`, and the other fields of the envelope. */
function responseOf(document, id, responses) {
  const envelopes = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => follow(document, response).content?.['application/json']?.schema)
    .map((schema) => ({ schema, properties: propertiesOf(document, schema) }));
  if (envelopes.length === 0 || envelopes.some(({ properties }) => !properties?.data))
    throw new ScriptError(`${id} has a 2xx response without "data".`);
  const data = envelopes.map(({ properties }, place) => dataOf(`${typeName(id)}Data${place === 0 ? '' : place + 1}`, properties.data));
  return {
    type: [...new Set(data.map(({ type }) => type))].join(' | '),
    named: data.filter(({ schema }) => schema),
    more: moreOf(envelopes[0]),
  };
}

function moreOf({ schema, properties }) {
  const more = Object.entries(properties).filter(([name]) => name !== 'data' && name !== 'error');
  if (more.length === 0) return '';
  if (schema.$ref) return `Pick<${typeOf(schema)}, ${more.map(([name]) => JSON.stringify(name)).join(' | ')}>`;
  return `{ ${more.map(([name, one]) => `${propertyName(name)}: ${typeOf(one)}`).join('; ')} }`;
}

/** Names an object that has no name in the document. */
function dataOf(name, schema) {
  if (isPlainObject(schema)) return { type: name, name, schema };
  if (schema.type === 'array' && isPlainObject(schema.items ?? {})) {
    const item = name.replace(/Data(\d*)$/, 'Item$1');
    return { type: `${item}[]`, name: item, schema: schema.items };
  }
  return { type: typeOf(schema) };
}

function propertiesOf(document, schema) {
  if (!schema) return undefined;
  const { properties, allOf = [] } = follow(document, schema);
  return Object.assign({}, ...allOf.map((part) => propertiesOf(document, part)), properties);
}

function follow(document, part) {
  if (!part?.$ref) return part;
  const found = part.$ref
    .replace(/^#\//, '')
    .split('/')
    .reduce((place, name) => place?.[name], document);
  if (!found) throw new ScriptError(`The document refers to ${part.$ref}, which does not exist.`);
  return follow(document, found);
}
