/** The statement at the start of a knex error message. It contains no values. */
const statement = /^(select|insert|update|delete|with|merge|copy|call)\b.*?(?= - )/is;
/** Some statements have 3,000 characters. The reason of Postgres comes last. */
const [startLength, endLength] = [200, 300];

/**
 * The message of an error, without the data that some errors quote: Postgres quotes values in class 22 (data exceptions), and `JSON.parse`
 * quotes the text.
 */
export function toLoggableMessage(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && /^22[0-9A-Z]{3}$/.test(code))
    return `${shorten(statement.exec(error.message)?.[0] ?? 'a statement')} - Postgres rejected a value (${code})`;
  if (error instanceof SyntaxError) return error.message.replace(/(?<=^Unexpected )[^].*|"[^]*"/, '…');
  return shorten(error.message);
}

const shorten = (message: string) =>
  message.length > startLength + endLength ? `${message.slice(0, startLength)} … ${message.slice(-endLength)}` : message;
