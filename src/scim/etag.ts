/** The versions in `If-Match` or `If-None-Match`: any version, or a list. Tags that were never issued are dropped: they match nothing. */
export type Versions = '*' | number[];

/** RFC 7644, section 3.14: `W/"3"`. */
export const toETag = (version: number) => `W/"${version}"`;

/** Undefined if the header is absent or empty. */
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

/** Also accepts a tag with a missing quote or without `W/`. */
const tag = /(?:W\/)?(?:"(?<quoted>[^"]*)(?:"|$)|(?<bare>[^\s,"]+))/gi;
const version = /^[1-9]\d{0,14}$/;
