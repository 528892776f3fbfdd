import { docComment } from './doc-comment.mjs';

export function writeClient(operations, types) {
  const areas = [...new Set(operations.map(({ area }) => area))];
  const membersOf = (area) => operations.filter((operation) => operation.area === area).map(writeMethod);
  const members = areas.map((area) => `${area}: {\n${membersOf(area).join('\n')}};\n`).join('\n');
  return `import type { CallOptions, Result } from '../result.ts';
import type { ${namesIn(members, types).join(', ')} } from './types.ts';

/** The operations of the service, by area. The arguments of a call are the names in its path, then its body or query, then options. */
export interface Client {
${members}}
`;
}

function writeMethod({ verb, method, path, summary, description, pathParameters, argument, takes, response }) {
  const comment = docComment(
    summary,
    description,
    `\`${method} ${path}\``,
    pathParameters
      .filter((parameter) => parameter.description)
      .map((parameter) => `@param ${parameter.name} ${parameter.description.replaceAll(/\s+/g, ' ')}`)
      .join('\n'),
  );
  const parameters = [
    ...pathParameters.map(({ name }) => `${name}: string`),
    ...(argument ? [`${takes}${argument.isNeeded ? '' : '?'}: ${argument.name}`] : []),
    'options?: CallOptions',
  ];
  const result = [response.type, response.more].filter(Boolean).join(', ');
  return `${comment}${verb}(${parameters.join(', ')}): Promise<Result<${result}>>;\n`;
}

function namesIn(text, types) {
  const words = new Set(text.replaceAll(/\/\*\*[^]*?\*\/|"[^"]*"/g, '').match(/\w+/g));
  return types.map(({ name }) => name).filter((name) => words.has(name));
}
