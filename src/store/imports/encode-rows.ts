/** Encodes rows in the text format of COPY. */
export const encodeRows = (rows: unknown[][]): Buffer => Buffer.from(rows.map((row) => `${row.map(encode).join('\t')}\n`).join(''));

function encode(value: unknown): string {
  if (value === null || value === undefined) return String.raw`\N`;
  return escape(toText(value));
}

function toText(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `{${value.map((item) => `"${String(item).replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return String(value);
}

const special: Record<string, string> = { '\\': String.raw`\\`, '\n': String.raw`\n`, '\r': String.raw`\r`, '\t': String.raw`\t` };
const escape = (text: string) => text.replaceAll(/[\\\n\r\t]/g, (character) => special[character]!);
