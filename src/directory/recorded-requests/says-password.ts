const password = /password/iu;

/** JSON's escapes written out, without a look at whether it is JSON. */
export const resolveEscapes = (text: string): string =>
  text.includes('\\') ? text.replaceAll(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))) : text;

/** `User:password`, `newPassword`: what these are the names of is not kept. */
export const mentionsPassword = (text: string): boolean => password.test(resolveEscapes(text));

/** Text that may hold the password beside the word: a filter, a parameter, JSON within a string. */
export function mayContainPassword(text: string): boolean {
  const resolved = resolveEscapes(text);
  const at = resolved.search(password);
  return at >= 0 && /["'=:%]|\b(eq|ne|co|sw|ew|gt|ge|lt|le)\b/i.test(resolved.slice(at));
}
