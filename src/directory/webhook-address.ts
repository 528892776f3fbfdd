const query = /[?#].*$/s;
const userInfo = /^([^:/]+:\/\/)[^/]*@/;

/** A webhook's address where it is only shown: without what may hold a token. */
export const toDisplayAddress = (url: string): string => url.replace(query, '').replace(userInfo, '$1');

/** All of it that is stored unencrypted: paths hold tokens too. */
export const hostOf = (url: string): string => /^[^:/]+:\/\/([^/\\]*)/.exec(toDisplayAddress(url))?.[1] ?? '';

/** The same as SQL, for a column. A question mark would be a parameter. */
export const hostSql = (column: string): string =>
  `coalesce(regexp_replace(substring(${column} from '^[^:/]+://([^/\\u003f#\\\\]*)'), '^.*@', ''), '')`;

const shortestSecretLength = 8;

/** The values of an address's query, as they are written and as they are meant, the longest first. Each may be a token, unless it is too short. */
export function findQuerySecrets({ search, searchParams }: URL): string[] {
  if (search === '') return [];
  const asWritten = search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1));
  const decoded = [...searchParams].map(([name, value]) => value || name);
  return [...new Set([...asWritten, ...decoded])]
    .filter(({ length }) => length >= shortestSecretLength)
    .sort((a, b) => b.length - a.length);
}
