import { resolveEscapes, mentionsPassword, mayContainPassword } from './says-password.ts';

type Span = [from: number, to: number];

interface Open {
  isObject: boolean;
  /** Where the member that is being read has its value, once its name is known. */
  member: { name: string; valueAt: number } | undefined;
  /** Members called `value`, which an operation's path may make a password. */
  values: Span[];
  hasPath: boolean;
  saysPassword: boolean;
}

const removed = '"[removed]"';
const token = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],]/g;

/**
 * Takes what may be a password out of JSON, and leaves everything else as it was written. The text may be the beginning of valid JSON:
 * an object whose end is not there, and which has not said by a path what it changes, loses its value.
 */
export function removePasswords(json: string): string {
  const spans: Span[] = [];
  const stack: Open[] = [];

  for (const { 0: text, index } of json.matchAll(token)) {
    const open = stack.at(-1);
    if (text === '{' || text === '[')
      stack.push({ isObject: text === '{', member: undefined, values: [], hasPath: false, saysPassword: false });
    else if (text === ',') endMember(open, index);
    else if (text === '}' || text === ']') endOpen(index, true);
    else if (open?.isObject && !open.member) open.member = { name: resolveEscapes(text), valueAt: afterColon(json, index + text.length) };
    else readText(open, text, index);
  }
  while (stack.length > 0) endOpen(json.length, false);
  return cutOut(json, spans);

  function readText(open: Open | undefined, text: string, index: number) {
    if (open?.member && /^"path"$/i.test(open.member.name)) open.hasPath = true;
    if (!mentionsPassword(text)) return;
    if (open) open.saysPassword = true;
    if (mayContainPassword(text.slice(1, -1)) || !text.endsWith('"')) spans.push([index, index + text.length]);
  }

  function endMember(open: Open | undefined, to: number) {
    if (!open?.member) return;
    const { name, valueAt } = open.member;
    if (mentionsPassword(name)) spans.push([valueAt, to]);
    else if (/value/i.test(name)) open.values.push([valueAt, to]);
    open.member = undefined;
  }

  function endOpen(to: number, isWhole: boolean) {
    const open = stack.pop();
    endMember(open, to);
    if (!open) return;
    if (open.saysPassword || !(isWhole || open.hasPath)) spans.push(...open.values);
    const around = stack.at(-1);
    if (around && !open.isObject && open.saysPassword) around.saysPassword = true;
  }
}

function afterColon(json: string, from: number): number {
  const colon = json.indexOf(':', from);
  return colon < 0 ? json.length : colon + 1;
}

function cutOut(text: string, spans: Span[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const [from, to] of spans.toSorted(([a], [b]) => a - b)) {
    if (from < at) {
      at = Math.max(at, to);
      continue;
    }
    pieces.push(text.slice(at, from), removed);
    at = to;
  }
  return [...pieces, text.slice(at)].join('');
}
