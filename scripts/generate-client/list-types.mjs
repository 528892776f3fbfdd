import { typeName } from './names.mjs';
import { ScriptError } from '../prepare/run.mjs';

/** The public names that are not generated. */
const taken = ['Answered', 'CallOptions', 'Client', 'ClientError', 'ClientOptions', 'Refused', 'Result'];

/** All named schemas, then what has a name only here: queries, bodies and answers. */
export function listTypes(document, operations) {
  const schemas = document.components?.schemas ?? {};
  const sent = findSent(schemas, operations);
  const types = [
    ...Object.entries(schemas).map(([name, schema]) => ({ name: typeName(name), schema, isSent: sent.has(name) })),
    ...operations.flatMap(({ id, argument, answer }) => [
      ...(argument?.schema ? [{ name: argument.name, schema: argument.schema, isSent: true, says: `What \`${id}\` takes.` }] : []),
      ...answer.named.map(({ name, schema }) => ({ name, schema, isSent: false, says: `What \`${id}\` answers.` })),
    ]),
  ];
  const names = [...taken, ...types.map(({ name }) => name)];
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice) throw new ScriptError(`Two types would have the name ${twice}: call the schema or operation something else.`);
  return types;
}

/** The schemas that bodies are made of. */
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
