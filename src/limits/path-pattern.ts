/** `[METHOD ]/path`, in which `*` is one segment and `**` any number of them, also none; a bare `*` is every path. */
export interface PathPattern {
  text: string;
  matches(method: string, path: string): boolean;
  /** Of two that match, the larger one is meant: what it spells out counts most, then its length, then its method. */
  precision: number;
}

const form = /^(?:([A-Z]+) )?(\*|(?:\/[^/\s?#]+)+)$/;

export const isPathPattern = (text: string): boolean => form.test(text);

/** Paths are compared as `readPath` gives them: in small letters, without empty segments. */
export function createPathPattern(text: string): PathPattern {
  const [, method, path] = form.exec(text) ?? [];
  if (path === undefined) throw new Error(`${text} is no path pattern`);
  const segments = path === '*' ? ['**'] : path.slice(1).toLowerCase().split('/');
  const expression = new RegExp(`^${segments.map(toExpression).join('')}/?$`);
  return {
    text,
    matches: (asked, given) => (method === undefined || method === asked) && expression.test(given),
    precision: segments.filter((segment) => !segment.includes('*')).length * 100 + lengthOf(segments) * 2 + (method === undefined ? 0 : 1),
  };
}

const toExpression = (segment: string) => (segment === '**' ? '(?:/[^/]+)*' : `/${segment.split('*').map(escape).join('[^/]+')}`);
const escape = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
const lengthOf = (segments: string[]) => segments.filter((segment) => segment !== '**').length;

export const sortByPrecision = (patterns: PathPattern[]): PathPattern[] => patterns.toSorted((a, b) => b.precision - a.precision);

/** What a server behind may do to a path before it looks at it. */
const ambiguous = /[%\\;]|\/\.|[^ -~]/;
const maxDecodings = 4;
/** Of a request line in its absolute form. */
const origin = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/**
 * The paths that servers may take this one for, in small letters and without its query. An ordinary path has one. Where some decode,
 * resolve dots or cut parameters off, and others don't, all of it is listed: no spelling is to lead out of a bucket.
 */
export function expandPath(given: string): string[] {
  const path = cut(given.replace(origin, ''));
  if (!ambiguous.test(path)) return [normalize(path)];
  const decoded = decode(path);
  // Some know dots in their encoded form, and decode nothing else.
  const spellings = [path, path.replaceAll(/%(?:25)*2e/gi, '.'), decoded, cut(decoded)]
    .flatMap((text) => [text, text.replaceAll(/;[^/]*/g, '')])
    .map((text) => text.replaceAll('\\', '/'));
  const resolved = spellings.flatMap((text) => [resolveDots(text, { keepsEmpty: true }), resolveDots(text, { keepsEmpty: false })]);
  return [...new Set([...spellings, ...resolved].map(normalize))];
}

const cut = (text: string) => /^[^?#]*/.exec(text)![0];

const normalize = (path: string) => `/${path.toLowerCase().split('/').filter(Boolean).join('/')}`;

/** Also what was encoded more than once. */
function decode(path: string): string {
  let text = path;
  for (let round = 0; round < maxDecodings && text.includes('%'); round += 1) {
    const decoded = text.replaceAll(/%(?:25)+/g, '%').replaceAll(/(?:%[\da-f]{2})+/gi, decodeBytes);
    if (decoded === text) break;
    text = decoded;
  }
  return text.normalize('NFKC');
}

const decodeBytes = (encoded: string) => Buffer.from(encoded.replaceAll('%', ''), 'hex').toString();

/** To some, an empty segment is one that `..` takes away. */
function resolveDots(path: string, { keepsEmpty }: { keepsEmpty: boolean }): string {
  const kept: string[] = [];
  for (const segment of path.split('/').slice(1)) {
    if (segment === '' && !keepsEmpty) continue;
    if (segment === '..') kept.pop();
    else if (segment !== '.') kept.push(segment);
  }
  return `/${kept.join('/')}`;
}
