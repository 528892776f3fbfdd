import { escapeHtml } from '../server/html-page.ts';
import type { SampleRequest, SampleValue } from './sample-request.ts';

const languages = [
  { value: 'curl', title: 'curl', write: curlSample },
  { value: 'typescript', title: 'TypeScript', write: typescriptSample },
  { value: 'python', title: 'Python', write: pythonSample },
];

export const codeBlock = (code: string): string => `<pre tabindex="0"><code>${escapeHtml(code)}</code></pre>`;

/** One sample for each language. The style shows that of the chosen radio button; an old browser shows all of them. */
export const samples = (request: SampleRequest, group = request.operationId): string => `<fieldset class="samples">
<legend>Request</legend>
${languages
  .map(
    ({ value, title }, place) =>
      `<label><input type="radio" name="${escapeHtml(`language of ${group}`)}" value="${value}"${place === 0 ? ' checked' : ''}> ${title}</label>`,
  )
  .join('\n')}
${languages.map(({ value, write }) => `<div class="${value}">${codeBlock(write(request))}</div>`).join('\n')}
</fieldset>`;

/** A command for a shell that has the variables. */
export function curlSample({ method, path, query, credentials, body }: SampleRequest): string {
  const address = path.map((part) => ('variable' in part ? `$${part.variable}` : String(part.literal))).join('');
  const isImplied = method === 'GET' || (method === 'POST' && body !== undefined);
  return [
    `curl -s${query.length > 0 ? ' -G' : ''}${isImplied ? '' : ` -X ${method}`} "$ROLLCALL_URL${address}"`,
    ...(credentials ? [`-H "${credentials.header}: ${credentials.prefix}$${credentials.variable}"`] : []),
    ...query.map(([name, value]) => `--data-urlencode ${pairOf(name, value)}`),
    ...(body ? curlBody(body) : []),
  ].join(' \\\n  ');
}

type SampleBody = NonNullable<SampleRequest['body']>;

const curlBody = (body: SampleBody): string[] =>
  isForm(body)
    ? fieldsOf(body).map(([name, literal]) => `--data-urlencode ${pairOf(name, { literal })}`)
    : isText(body)
      ? [`-H ${quoteShell(`Content-Type: ${body.mediaType}`)}`, `--data-binary ${quoteShell(String(body.value))}`]
      : [`-H ${quoteShell(`Content-Type: ${body.mediaType}`)}`, `-d ${quoteShell(toJson(body.value))}`];

/** Each language sets the media type of a form by itself. */
const isForm = ({ mediaType }: SampleBody) => mediaType === 'application/x-www-form-urlencoded';
/** Such a body is sent as it is. */
const isText = ({ mediaType }: SampleBody) => mediaType.startsWith('text/');
const fieldsOf = ({ value }: SampleBody) => Object.entries(value as Record<string, unknown>);

const toJson = (value: unknown) => {
  const line = JSON.stringify(value);
  return line.length <= 80 ? line : printLiteral(value, curlNotation, '  ');
};

const pairOf = (name: string, value: SampleValue) =>
  'variable' in value ? `"${name}=$${value.variable}"` : quoteShell(`${name}=${String(value.literal)}`);

const quoteShell = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const curlNotation: Notation = { text: JSON.stringify, key: JSON.stringify, constant: String, layout: { pad: '', lastComma: '' } };

/** With the typed client, which has the operations whose ID has a dot; otherwise with `fetch`. */
export function typescriptSample(request: SampleRequest): string {
  return request.operationId.includes('.') ? clientSample(request) : fetchSample(request);
}

function clientSample({ operationId, pathArguments, query, body }: SampleRequest): string {
  const argument = body ? [printLiteral(body.value, typescriptNotation)] : query.length > 0 ? [printQuery(query)] : [];
  const given = [...pathArguments.map(printTypescript), ...argument];
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
      ? [`${typescriptNotation.key(credentials.header)}: \`${escapeTemplate(credentials.prefix)}\${process.env.${credentials.variable}}\``]
      : []),
    ...(body && !isForm(body) ? [`'Content-Type': ${quoteTypescript(body.mediaType)}`] : []),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: ${quoteTypescript(method)}`]),
    ...(headers.length > 0 ? [`headers: ${wrap('{', headers, '}', typescriptNotation.layout, '  ')}`] : []),
    ...(body
      ? [
          isText(body)
            ? `body: ${quoteTypescript(String(body.value))}`
            : `body: ${isForm(body) ? 'new URLSearchParams' : 'JSON.stringify'}(${printLiteral(body.value, typescriptNotation, '  ')})`,
        ]
      : []),
  ];
  const url = `\`\${process.env.ROLLCALL_URL}${address.join('')}${query.length > 0 ? '?${query}' : ''}\``;
  const given = options.length > 0 ? `${url}, {\n${options.map((option) => `  ${option},\n`).join('')}}` : url;
  return `${query.length > 0 ? `const query = new URLSearchParams(${printQuery(query)});\n` : ''}const response = await fetch(${given});
console.log(response.status, await response.${returnsJson ? 'json' : 'text'}());`;
}

const printTypescript = (value: SampleValue) =>
  'variable' in value ? `process.env.${value.variable}!` : printLiteral(value.literal, typescriptNotation);

const printQuery = (query: SampleRequest['query']) => {
  const fields = query.map(([name, value]) => `${typescriptNotation.key(name)}: ${printTypescript(value)}`);
  return wrap('{', fields, '}', typescriptNotation.layout);
};

const escapeTemplate = (text: string) => text.replaceAll(/[`\\$]/g, String.raw`\$&`);

const quoteTypescript = (text: string) =>
  `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`;

const inCall = { pad: '', lastComma: ',' };
const typescriptNotation: Notation = {
  text: quoteTypescript,
  key: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoteTypescript(name)),
  constant: String,
  layout: { pad: ' ', lastComma: ',' },
};

/** The sample uses the package `requests`. */
export function pythonSample({ method, path, query, credentials, body, returnsJson }: SampleRequest): string {
  const address = path.map((part) => ('variable' in part ? environment(part.variable) : escapeFormat(String(part.literal))));
  const parameters = query.map(([name, value]) => `${quotePython(name)}: ${printPython(value)}`);
  const headers = [
    ...(credentials
      ? [`${quotePython(credentials.header)}: f"${escapeFormat(credentials.prefix)}${environment(credentials.variable)}"`]
      : []),
    ...(body && body.mediaType !== 'application/json' && !isForm(body) ? [`"Content-Type": ${quotePython(body.mediaType)}`] : []),
  ];
  const given = [
    `f"${environment('ROLLCALL_URL')}${address.join('')}"`,
    ...(parameters.length > 0 ? [`params=${wrap('{', parameters, '}', pythonNotation.layout, '  ')}`] : []),
    ...(headers.length > 0 ? [`headers=${wrap('{', headers, '}', pythonNotation.layout, '  ')}`] : []),
    ...(body ? [`${isForm(body) || isText(body) ? 'data' : 'json'}=${printLiteral(body.value, pythonNotation, '  ')}`] : []),
  ];
  const call = wrap(`response = requests.${method.toLowerCase()}(`, given, ')', pythonNotation.layout);
  // Python indents by four.
  return `import os
import requests

${call.replaceAll(/^ +/gm, '$&$&')}
print(response.status_code, response.${returnsJson ? 'json()' : 'text'})`;
}

/** Inside of a formatted string, whose quotes are double. */
const environment = (variable: string) => `{os.environ['${variable}']}`;

const printPython = (value: SampleValue) =>
  'variable' in value ? `os.environ["${value.variable}"]` : printLiteral(value.literal, pythonNotation);

const escapeFormat = (text: string) => quotePython(text).slice(1, -1).replaceAll(/[{}]/g, '$&$&');

/** A string of JSON is one of Python. */
const quotePython = (text: string) => JSON.stringify(text);

const pythonNotation: Notation = {
  text: quotePython,
  key: quotePython,
  constant: (value) => (value === null ? 'None' : value ? 'True' : 'False'),
  layout: { pad: '', lastComma: ',' },
};

/** How a language writes the values of JSON. */
interface Notation {
  text(value: string): string;
  key(name: string): string;
  constant(value: boolean | null): string;
  layout: Layout;
}

/** `pad` is inside the braces of a line, `lastComma` after the last of several lines. */
type Layout = { pad: string; lastComma: string };

const lineWidth = 88;

/** Prints a JSON value, on one line if it is short. */
function printLiteral(value: unknown, notation: Notation, indent = ''): string {
  if (typeof value === 'string') return notation.text(value);
  if (typeof value === 'boolean' || value === null) return notation.constant(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  const print = (item: unknown) => printLiteral(item, notation, `${indent}  `);
  if (Array.isArray(value)) return wrap('[', value.map(print), ']', { ...notation.layout, pad: '' }, indent);
  const fields = Object.entries(value).map(([name, item]) => `${notation.key(name)}: ${print(item)}`);
  return wrap('{', fields, '}', notation.layout, indent);
}

/** Puts parts between brackets: on one line if they fit, otherwise one part a line. */
function wrap(open: string, parts: string[], close: string, { pad, lastComma }: Layout, indent = ''): string {
  if (parts.length === 0) return open + close;
  const line = `${open}${pad}${parts.join(', ')}${pad}${close}`;
  if (!line.includes('\n') && indent.length + line.length <= lineWidth) return line;
  return `${open}\n${parts.map((part) => `${indent}  ${part}`).join(',\n')}${lastComma}\n${indent}${close}`;
}
