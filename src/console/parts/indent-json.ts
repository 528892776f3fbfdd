const tokens = /"(?:[^"\\]+|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * JSON with line breaks, at most about `maxLength` characters of it. Each token stays as it was sent: a repeated key and a long number may be why a
 * request was rejected. What is no JSON stays as it is.
 */
export function indentJson(text: string, maxLength: number): string {
  if (!isJson(text)) return text;
  let indented = '';
  let depth = 0;
  let isFirst = false;
  const newLine = () => `\n${'  '.repeat(depth)}`;
  for (const [token] of text.matchAll(tokens)) {
    if (indented.length > maxLength) break;
    if (token === '}' || token === ']') {
      depth -= 1;
      indented += isFirst ? token : newLine() + token;
      isFirst = false;
    } else {
      if (isFirst) indented += newLine();
      isFirst = token === '{' || token === '[';
      if (isFirst) depth += 1;
      indented += token === ':' ? ': ' : token === ',' ? `,${newLine()}` : token;
    }
  }
  return indented;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
