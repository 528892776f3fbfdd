import { typeName } from './names.mjs';
import { Refusal as GeneratorError } from '../prepare/run.mjs';

/** Exported names that are not generated. */
const taken = ['CallOptions', 'Client', 'ClientError', 'ClientOptions', 'Failure', 'Result', 'Success'];

/** All named schemas, then those that are named here: queries, bodies and responses. */
export function listTypes(document, operations) {
  const schemas = document.components?.schemas ?? {};
  const sent = findSent(schemas, operations);
  const types = [
    ...Object.entries(schemas).map(([name, schema]) => ({ name: typeName(name), schema, isSent: sent.has(name) })),
    ...operations.flatMap(({ id, argument, response }) => [
      ...(argument?.schema
        ? [{ name: argument.name, schema: argument.schema, isSent: true, description: `The argument of \`${id}\`.` }]
        : []),
      ...response.named.map(({ name, schema }) => ({ name, schema, isSent: false, description: `The response data of \`${id}\`.` })),
    ]),
  ];
  const names = [...taken, ...types.map(({ name }) => name)];
  const duplicate = names.find((name, place) => names.indexOf(name) !== place);
  if (duplicate) throw new GeneratorError(`Two types would have the name ${duplicate}: rename the schema or the operation.`);
  return types;
}

/** The names of the schemas that request bodies use. */
function findSent(schemas, operations) {
  const found = new Set();
  const visit = (part) => {
    if (typeof part !== 'object' || part === null) return;
    const name = typeof part.$ref === 'string' ? part.$ref.split('/').at(-1) : undefined;
    if (name !== undefined && !found.has(name)) {
      found.add(name);
      visit(schemas[name]);
    }
    Object.values(part).forEach(visit);
  };
  for (const { argument } of operations) visit(argument?.component ? { $ref: argument.component } : argument?.schema);
  return found;
}
