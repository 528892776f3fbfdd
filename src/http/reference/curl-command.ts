import type { DescribedDocument, SecurityScheme } from './described.ts';
import { exampleOf } from './example-value.ts';
import type { ListedOperation } from './list-operations.ts';

/** A command that can be pasted into a shell, where `$API_KEY` and what the path names are set. */
export function curlCommand(document: DescribedDocument, operation: ListedOperation): string {
  const { method, path, parameters, requestBody, security = [] } = operation;
  const baseUrl = document.servers?.[0]?.url.replace(/\/+$/, '') ?? '';
  const address = `${baseUrl}${path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => `$${variableOf(name)}`)}`;
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  const [mediaType, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const scheme = document.components?.securitySchemes?.[Object.keys(security[0] ?? {})[0] ?? ''];
  return [
    `curl -s${query.length > 0 ? ' -G' : ''}${method === 'GET' || (method === 'POST' && content) ? '' : ` -X ${method}`} "${address}"`,
    ...(scheme ? [`-H "${credentialsOf(scheme, Object.keys(security[0]!)[0]!)}"`] : []),
    ...query.map(({ name, schema, example }) => `--data-urlencode ${quote(`${name}=${String(example ?? exampleOf(document, schema))}`)}`),
    ...(mediaType ? [`-H ${quote(`Content-Type: ${mediaType}`)}`] : []),
    ...(content ? [`-d ${quote(JSON.stringify(content.example ?? exampleOf(document, content.schema)))}`] : []),
  ].join(' \\\n  ');
}

const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** `directoryId` → `DIRECTORY_ID`. */
const variableOf = (name: string) =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll(/\W/g, '_')
    .toUpperCase();

function credentialsOf({ type, scheme, name }: SecurityScheme, id: string): string {
  if (type === 'http') return `Authorization: ${scheme === 'bearer' ? 'Bearer' : scheme} $${variableOf(id)}`;
  return name?.toLowerCase() === 'authorization' ? `Authorization: Api-Key $${variableOf(id)}` : `${name}: $${variableOf(id)}`;
}
