import { printLiteral, wrap, type Notation } from './print-literal.ts';
import type { SampleRequest, SampleValue } from './sample-request.ts';

/** With the typed client, which has the operations whose id has a dot; otherwise with `fetch`. */
export const typescriptSample = (request: SampleRequest): string =>
  request.operationId.includes('.') ? clientSample(request) : fetchSample(request);

function clientSample({ operationId, pathArguments, query, body }: SampleRequest): string {
  const argument = body ? [printLiteral(body.value, notation)] : query.length > 0 ? [printQuery(query)] : [];
  const given = [...pathArguments.map(print), ...argument];
  const call = `const { data, error } = await client.${operationId}`;
  return `import { createClient } from 'rollcall/client';

const client = createClient({
  baseUrl: process.env.ROLLCALL_URL!,
  apiKey: process.env.ROLLCALL_API_KEY!,
});
${given.length === 1 ? `${call}(${given[0]})` : wrap(`${call}(`, given, ')', inCall)};
if (error) throw new Error(error.message);
console.log(data);`;
}

function fetchSample({ method, path, query, credentials, body, returnsJson }: SampleRequest): string {
  const address = path.map((part) => ('variable' in part ? `\${process.env.${part.variable}}` : escapeTemplate(String(part.literal))));
  const headers = [
    ...(credentials
      ? [`${notation.key(credentials.header)}: \`${escapeTemplate(credentials.prefix)}\${process.env.${credentials.variable}}\``]
      : []),
    ...(body ? [`'Content-Type': ${quote(body.mediaType)}`] : []),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: ${quote(method)}`]),
    ...(headers.length > 0 ? [`headers: ${wrap('{', headers, '}', notation.layout, '  ')}`] : []),
    ...(body ? [`body: JSON.stringify(${printLiteral(body.value, notation, '  ')})`] : []),
  ];
  const url = `\`\${process.env.ROLLCALL_URL}${address.join('')}${query.length > 0 ? '?${query}' : ''}\``;
  const given = options.length > 0 ? `${url}, {\n${options.map((option) => `  ${option},\n`).join('')}}` : url;
  return `${query.length > 0 ? `const query = new URLSearchParams(${printQuery(query)});\n` : ''}const response = await fetch(${given});
console.log(response.status, await response.${returnsJson ? 'json' : 'text'}());`;
}

const print = (value: SampleValue) => ('variable' in value ? `process.env.${value.variable}!` : printLiteral(value.literal, notation));

const printQuery = (query: SampleRequest['query']) => {
  const fields = query.map(([name, value]) => `${notation.key(name)}: ${print(value)}`);
  return wrap('{', fields, '}', notation.layout);
};

const escapeTemplate = (text: string) => text.replaceAll(/[`\\$]/g, String.raw`\$&`);

const quote = (text: string) =>
  `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`;

const inCall = { pad: '', lastComma: ',' };
const notation: Notation = {
  text: quote,
  key: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name)),
  constant: String,
  layout: { pad: ' ', lastComma: ',' },
};
