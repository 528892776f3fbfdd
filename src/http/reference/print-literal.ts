/** How a language writes the values of JSON. */
export interface Notation {
  text(value: string): string;
  key(name: string): string;
  constant(value: boolean | null): string;
  layout: Layout;
}

/** `pad` is inside the braces of a line, `lastComma` after the last of several lines. */
export type Layout = { pad: string; lastComma: string };

const lineWidth = 88;

/** Prints a JSON value, on one line if it is short. */
export function printLiteral(value: unknown, notation: Notation, indent = ''): string {
  if (typeof value === 'string') return notation.text(value);
  if (typeof value === 'boolean' || value === null) return notation.constant(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  const print = (item: unknown) => printLiteral(item, notation, `${indent}  `);
  if (Array.isArray(value)) return wrap('[', value.map(print), ']', { ...notation.layout, pad: '' }, indent);
  const fields = Object.entries(value).map(([name, item]) => `${notation.key(name)}: ${print(item)}`);
  return wrap('{', fields, '}', notation.layout, indent);
}

/** Puts parts between brackets: on one line if they fit, otherwise one part a line. */
export function wrap(open: string, parts: string[], close: string, { pad, lastComma }: Layout, indent = ''): string {
  if (parts.length === 0) return open + close;
  const line = `${open}${pad}${parts.join(', ')}${pad}${close}`;
  if (!line.includes('\n') && indent.length + line.length <= lineWidth) return line;
  return `${open}\n${parts.map((part) => `${indent}  ${part}`).join(',\n')}${lastComma}\n${indent}${close}`;
}
