type Span = [from: number, to: number];

interface Open {
  isObject: boolean;
  /** The member that is being read, once its name is known. */
  member: { name: string; valueAt: number } | undefined;
  /** Members with the name `value`: an operation's path may say that it is a password. */
  values: Span[];
  hasPath: boolean;
  mentionsPassword: boolean;
}

const removed = '"[removed]"';
const token = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],]/g;

/**
 * Removes possible passwords from JSON, and keeps everything else as it is. The text may be a truncated JSON document: an operation whose end
 * and path are missing loses its value.
 */
export function removePasswords(json: string): string {
  const spans: Span[] = [];
  const stack: Open[] = [];

  for (const { 0: text, index } of json.matchAll(token)) {
    const open = stack.at(-1);
    if (text === '{' || text === '[')
      stack.push({ isObject: text === '{', member: undefined, values: [], hasPath: false, mentionsPassword: false });
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
    if (open) open.mentionsPassword = true;
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
    if (open.mentionsPassword || !(isWhole || open.hasPath)) spans.push(...open.values);
    const around = stack.at(-1);
    if (around && !open.isObject && open.mentionsPassword) around.mentionsPassword = true;
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

const password = /password/iu;

/** Decodes the \u escapes of JSON. */
const resolveEscapes = (text: string): string =>
  text.includes('\\') ? text.replaceAll(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))) : text;

/** Whether a name or text mentions a password: `User:password`, `newPassword`. */
export const mentionsPassword = (text: string): boolean => password.test(resolveEscapes(text));

/** Whether a text may contain a password itself: a filter, a parameter, JSON within a string. */
export function mayContainPassword(text: string): boolean {
  const resolved = resolveEscapes(text);
  const at = resolved.search(password);
  return at >= 0 && /["'=:%]|\b(eq|ne|co|sw|ew|gt|ge|lt|le)\b/i.test(resolved.slice(at));
}
