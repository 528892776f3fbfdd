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

export const mostPrecise = (patterns: PathPattern[]): PathPattern[] => patterns.toSorted((a, b) => b.precision - a.precision);
