import { printLiteral, type Notation } from './print-literal.ts';
import type { SampleRequest, SampleValue } from './sample-request.ts';

/** A command for a shell that has the variables. */
export function curlSample({ method, path, query, credentials, body }: SampleRequest): string {
  const address = path.map((part) => ('variable' in part ? `$${part.variable}` : String(part.literal))).join('');
  const isImplied = method === 'GET' || (method === 'POST' && body !== undefined);
  return [
    `curl -s${query.length > 0 ? ' -G' : ''}${isImplied ? '' : ` -X ${method}`} "$ROLLCALL_URL${address}"`,
    ...(credentials ? [`-H "${credentials.header}: ${credentials.prefix}$${credentials.variable}"`] : []),
    ...query.map(([name, value]) => `--data-urlencode ${pairOf(name, value)}`),
    ...(body ? [`-H ${quote(`Content-Type: ${body.mediaType}`)}`, `-d ${quote(toJson(body.value))}`] : []),
  ].join(' \\\n  ');
}

const toJson = (value: unknown) => {
  const line = JSON.stringify(value);
  return line.length <= 80 ? line : printLiteral(value, notation, '  ');
};

const pairOf = (name: string, value: SampleValue) =>
  'variable' in value ? `"${name}=$${value.variable}"` : quote(`${name}=${String(value.literal)}`);

const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const notation: Notation = { text: JSON.stringify, key: JSON.stringify, constant: String, layout: { pad: '', lastComma: '' } };
