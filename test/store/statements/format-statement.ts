const tokens = /'(?:[^']|'')*'|"[^"]*"|\$\d+|::|->>|#>>|->|<>|<=|>=|\|\||&&|\w+|[^\s\w]/g;
/** A line begins with each of these, unless the word before it belongs to the same clause. */
const clauses =
  /^(with|select|from|where|group|order|limit|offset|union|cross|left|full|inner|join|insert|update|delete|set|returning|values|on conflict|window)$/i;
const sameClause = /^(do|for|key|cross|left|full|inner|distinct|delete)$/i;
const statementStart = /^(with|select|insert|update|delete)$/i;
const keywords =
  /^(in|as|and|or|not|where|from|select|on|with|join|lateral|values|materialized|exists|then|when|else|over|filter|union|all|is|using|by)$/i;
const maxWidth = 120;
const maxShortWidth = 80;

/** SQL with one clause per line, indented by subquery. Only white space changes. */
export function formatStatement(sql: string): string {
  const words = sql.match(tokens) ?? [];
  const lines: string[] = [];
  /** For each open parenthesis: whether it holds a statement. */
  const open: boolean[] = [];
  let line = '';
  let isBetween = false;
  const startLine = (text: string) => {
    if (line.trim() !== '') lines.push(line.trimEnd());
    line = '  '.repeat(open.filter(Boolean).length) + text;
  };
  for (const [index, word] of words.entries()) {
    const [before = '', after = ''] = [words[index - 1], words[index + 1]];
    if (word === ')') {
      if (open.pop()) startLine('');
      line += ')';
      continue;
    }
    const isInStatement = open.at(-1) ?? true;
    const isClause = clauses.test(word === 'on' ? `${word} ${after}` : word) && !sameClause.test(before);
    const isFunction = (word === 'left' && after === '(') || (word === 'with' && after === 'ordinality');
    const isStep = before === ',' && after === 'as' && /^(\(|materialized)$/.test(words[index + 2] ?? '');
    const isBreakable = before === ',' || (/^(and|or)$/i.test(word) && !isBetween);
    if (isInStatement && ((isClause && !isFunction) || isStep)) startLine(word);
    else if (isInStatement && isBreakable && line.length > maxWidth) startLine(`  ${word}`);
    else line += index > 0 && needsSpace(before, word) ? ` ${word}` : word;
    if (/^(between|and)$/i.test(word)) isBetween = word === 'between';
    if (word === '(') open.push(statementStart.test(after));
  }
  startLine('');
  const formatted = joinShort(lines).join('\n');
  if (squeeze(formatted) !== squeeze(sql)) throw new Error(`The formatter changed the statement:\n${formatted}`);
  return formatted;
}

function needsSpace(before: string, word: string): boolean {
  if (/^([,;.)[\]]|::)$/.test(word) || /^([([.]|::)$/.test(before)) return false;
  return word !== '(' || !/^[\w"]/.test(before) || keywords.test(before);
}

/** A short subquery stays on one line. */
function joinShort(lines: string[]): string[] {
  const joined = [...lines];
  for (let from = joined.length - 1; from >= 0; from -= 1) {
    if (!joined[from]!.endsWith('(')) continue;
    const to = joined.findIndex((line, index) => index > from && line.trimStart().startsWith(')'));
    const inner = joined.slice(from + 1, to).map((line) => line.trim());
    if (inner.some((line) => line.endsWith('(')) || inner.join(' ').length > maxShortWidth) continue;
    joined.splice(from, to - from + 1, `${joined[from]}${inner.join(' ')}${joined[to]!.trim()}`);
  }
  return joined;
}

const squeeze = (sql: string) => sql.replaceAll(/\s+/g, '');
