/** Finds a duplicate key in text that is known to be JSON: JSON.parse keeps only the last value. */
export function findRepeatedName(text: string): string | undefined {
  const objects: Set<string>[] = [];
  let literal = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') {
      literal = text.slice(at, endOfString(text, at));
      at += literal.length - 1;
    } else if (char === '{') objects.push(new Set());
    else if (char === '}') objects.pop();
    else if (char === ':') {
      const name = literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1);
      const names = objects.at(-1)!;
      if (names.has(name)) return name;
      names.add(name);
    }
  }
  return undefined;
}

function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); ; quote = text.indexOf('"', quote + 1)) if (!isEscaped(text, quote)) return quote + 1;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

export function countColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) count += 1;
  return count;
}
