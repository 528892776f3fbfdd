/** A JSDoc comment of the given paragraphs; an empty string if there are none. */
export function docComment(...paragraphs) {
  const lines = paragraphs
    .filter(Boolean)
    .join('\n\n')
    .replaceAll('*/', '*\\/')
    .split('\n')
    .flatMap((line) => wrap(line.trimEnd()));
  if (lines.length === 0 || (lines.length === 1 && lines[0] === '')) return '';
  if (lines.length === 1) return `/** ${lines[0]} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}

const width = 120;

function wrap(line) {
  const lines = [];
  let rest = line;
  while (rest.length > width) {
    const cut = rest.lastIndexOf(' ', width);
    if (cut <= 0) break;
    lines.push(rest.slice(0, cut));
    rest = rest.slice(cut + 1);
  }
  return [...lines, rest];
}
