/** What `If-Match` and `If-None-Match` name: every version there may be, or some. A tag that we never gave out is left away: it matches nothing. */
export type Versions = '*' | number[];

/** RFC 7644, section 3.14: `W/"3"`. */
export const toETag = (version: number) => `W/"${version}"`;

/** Undefined if the header says nothing. */
export function readVersions(header: string | undefined): Versions | undefined {
  const text = header?.trim() ?? '';
  if (text === '') return undefined;
  if (text === '*') return '*';
  return [...text.matchAll(tag)].flatMap(({ groups }) => {
    const opaque = groups!['quoted'] ?? groups!['bare']!;
    return version.test(opaque) ? [Number(opaque)] : [];
  });
}

export const matchesVersion = (versions: Versions, current: number) => versions === '*' || versions.includes(current);

/** With a missing quote, or without the W/, it is still told apart from its neighbours. */
const tag = /(?:W\/)?(?:"(?<quoted>[^"]*)(?:"|$)|(?<bare>[^\s,"]+))/gi;
const version = /^[1-9]\d{0,14}$/;
