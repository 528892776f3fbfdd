/** The statement at the start of a knex error message. It contains no values. */
const statement = /^(select|insert|update|delete|with|merge|copy|call)\b.*?(?= - )/is;

/**
 * The message of an error, without the data that some errors quote: Postgres quotes values in class 22 (data exceptions), and `JSON.parse`
 * quotes the text.
 */
export function toLoggableMessage(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && /^22[0-9A-Z]{3}$/.test(code))
    return `${statement.exec(error.message)?.[0] ?? 'a statement'} - Postgres rejected a value (${code})`;
  return error instanceof SyntaxError ? error.message.replace(/(?<=^Unexpected )[^].*|"[^]*"/, '…') : error.message;
}
