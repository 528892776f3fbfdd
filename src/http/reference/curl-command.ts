import type { DescribedDocument, Parameter, SecurityScheme } from '../openapi/described.ts';
import { exampleOf } from '../openapi/example-of.ts';
import type { ListedOperation } from './list-operations.ts';

/** A command for a shell in which `$ROLLCALL_URL`, `$ROLLCALL_API_KEY`, `$DIRECTORY_ID` and the like are set. */
export function curlCommand(document: DescribedDocument, operation: ListedOperation): string {
  const { method, path, parameters, requestBody, security = [] } = operation;
  const valueOf = (parameter: Parameter) => String(parameter.example ?? exampleOf(document, parameter.schema));
  const segmentOf = (name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
    return isId(name) || !parameter ? `$${variableOf(name)}` : encodeURI(valueOf(parameter));
  };
  const address = `$ROLLCALL_URL${path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => segmentOf(name))}`;
  const query = queryOf(parameters).map((parameter) => {
    const { name } = parameter;
    return `--data-urlencode ${isId(name) ? `"${name}=$${variableOf(name)}"` : quote(`${name}=${valueOf(parameter)}`)}`;
  });
  const [mediaType, content] = (requestBody?.required && Object.entries(requestBody.content)[0]) || [];
  const [scheme] = Object.keys(security[0] ?? {});
  const isImplied = method === 'GET' || (method === 'POST' && content !== undefined);
  return [
    `curl -s${query.length > 0 ? ' -G' : ''}${isImplied ? '' : ` -X ${method}`} "${address}"`,
    ...(scheme ? [`-H "${credentialsOf(document.components?.securitySchemes?.[scheme] ?? {}, scheme)}"`] : []),
    ...query,
    ...(mediaType ? [`-H ${quote(`Content-Type: ${mediaType}`)}`] : []),
    ...(content ? [`-d ${quote(JSON.stringify(content.example ?? exampleOf(document, content.schema)))}`] : []),
  ].join(' \\\n  ');
}

/** The required parameters. If there are none, the directory, for operations that need a selector. */
function queryOf(parameters: Parameter[]): Parameter[] {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const required = query.filter((parameter) => parameter.required);
  return required.length > 0 ? required : query.filter(({ name }) => /^directory_?id$/i.test(name)).slice(0, 1);
}

const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Ids become shell variables. Other names could be variables that a shell already has, such as PATH. */
const isId = (name: string) => /^(id|directory|.+(Id|_id))$/.test(name);

/** `directoryId` → `DIRECTORY_ID`. */
const variableOf = (name: string) =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll(/\W/g, '_')
    .toUpperCase();

function credentialsOf({ type, scheme, name }: SecurityScheme, id: string): string {
  const word = type === 'http' ? (scheme === 'bearer' ? 'Bearer' : scheme) : 'Api-Key';
  const variable = id === 'apiKey' ? 'ROLLCALL_API_KEY' : variableOf(id);
  const isAuthorization = type === 'http' || name === undefined || name.toLowerCase() === 'authorization';
  return isAuthorization ? `Authorization: ${word} $${variable}` : `${name}: $${variable}`;
}
