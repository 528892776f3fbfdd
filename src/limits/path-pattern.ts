/** `[METHOD ]/path`, in which `*` is one segment and `**` any number of segments, including none. A bare `*` matches every path. */
interface PathPattern {
  text: string;
  matches(method: string, path: string): boolean;
  /** The matching pattern with the highest precision applies: literal segments count most, then length, then a method. */
  precision: number;
}

const form = /^(?:([A-Z]+) )?(\*|(?:\/[^/\s?#]+)+)$/;

export const isPathPattern = (text: string): boolean => form.test(text);

/** Matches paths as `expandPath` returns them: lower case, without empty segments. */
export function createPathPattern(text: string): PathPattern {
  const [, method, path] = form.exec(text) ?? [];
  if (path === undefined) throw new Error(`${text} is not a path pattern`);
  const segments = path === '*' ? ['**'] : path.slice(1).toLowerCase().split('/');
  const expression = new RegExp(`^${segments.map(toExpression).join('')}/?$`);
  return {
    text,
    matches: (requested, given) => (method === undefined || method === requested) && expression.test(given),
    precision: segments.filter((segment) => !segment.includes('*')).length * 100 + lengthOf(segments) * 2 + (method === undefined ? 0 : 1),
  };
}

const toExpression = (segment: string) => (segment === '**' ? '(?:/[^/]+)*' : `/${segment.split('*').map(escape).join('[^/]+')}`);
const escape = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
const lengthOf = (segments: string[]) => segments.filter((segment) => segment !== '**').length;

export const sortByPrecision = (patterns: PathPattern[]): PathPattern[] => patterns.toSorted((a, b) => b.precision - a.precision);

/** Characters that make a path ambiguous: upstream servers may decode or resolve them. */
const ambiguous = /[%\\;]|\/\.|[^ -~]/;
const maxDecodings = 4;
/** The origin in an absolute request target. */
const origin = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/**
 * All paths that an upstream server may read this one as, lower-cased and without the query. An ordinary path has one. Servers differ in
 * decoding, resolving dots and cutting parameters, so all results are listed: no spelling may escape its bucket.
 */
export function expandPath(given: string): string[] {
  const path = cut(given.replace(origin, ''));
  if (!ambiguous.test(path)) return [normalize(path)];
  const decoded = decode(path);
  // Some servers decode dots and nothing else.
  const spellings = [path, path.replaceAll(/%(?:25)*2e/gi, '.'), decoded, cut(decoded)]
    .flatMap((text) => [text, text.replaceAll(/;[^/]*/g, '')])
    .map((text) => text.replaceAll('\\', '/'));
  const resolved = spellings.flatMap((text) => [resolveDots(text, { keepsEmpty: true }), resolveDots(text, { keepsEmpty: false })]);
  return [...new Set([...spellings, ...resolved].map(normalize))];
}

const cut = (text: string) => /^[^?#]*/.exec(text)![0];

const normalize = (path: string) => `/${path.toLowerCase().split('/').filter(Boolean).join('/')}`;

/** Also decodes what was encoded more than once. */
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

/** For some servers, `..` removes an empty segment too. */
function resolveDots(path: string, { keepsEmpty }: { keepsEmpty: boolean }): string {
  const kept: string[] = [];
  for (const segment of path.split('/').slice(1)) {
    if (segment === '' && !keepsEmpty) continue;
    if (segment === '..') kept.pop();
    else if (segment !== '.') kept.push(segment);
  }
  return `/${kept.join('/')}`;
}
