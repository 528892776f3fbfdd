import { printLiteral, wrap, type Notation } from './print-literal.ts';
import type { SampleRequest, SampleValue } from './sample-request.ts';

/** With the package `requests`. */
export function pythonSample({ method, path, query, credentials, body, returnsJson }: SampleRequest): string {
  const address = path.map((part) => ('variable' in part ? environment(part.variable) : escapeFormat(String(part.literal))));
  const parameters = query.map(([name, value]) => `${quote(name)}: ${print(value)}`);
  const headers = [
    ...(credentials ? [`${quote(credentials.header)}: f"${escapeFormat(credentials.prefix)}${environment(credentials.variable)}"`] : []),
    ...(body && body.mediaType !== 'application/json' ? [`"Content-Type": ${quote(body.mediaType)}`] : []),
  ];
  const given = [
    `f"${environment('ROLLCALL_URL')}${address.join('')}"`,
    ...(parameters.length > 0 ? [`params=${wrap('{', parameters, '}', notation.layout, '  ')}`] : []),
    ...(headers.length > 0 ? [`headers=${wrap('{', headers, '}', notation.layout, '  ')}`] : []),
    ...(body ? [`json=${printLiteral(body.value, notation, '  ')}`] : []),
  ];
  const call = wrap(`response = requests.${method.toLowerCase()}(`, given, ')', notation.layout);
  // Python indents by four.
  return `import os
import requests

${call.replaceAll(/^ +/gm, '$&$&')}
print(response.status_code, response.${returnsJson ? 'json()' : 'text'})`;
}

/** Inside of a formatted string, whose quotes are double. */
const environment = (variable: string) => `{os.environ['${variable}']}`;

const print = (value: SampleValue) => ('variable' in value ? `os.environ["${value.variable}"]` : printLiteral(value.literal, notation));

const escapeFormat = (text: string) => quote(text).slice(1, -1).replaceAll(/[{}]/g, '$&$&');

/** A string of JSON is one of Python. */
const quote = (text: string) => JSON.stringify(text);

const notation: Notation = {
  text: quote,
  key: quote,
  constant: (value) => (value === null ? 'None' : value ? 'True' : 'False'),
  layout: { pad: '', lastComma: ',' },
};
