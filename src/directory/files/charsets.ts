/** The encodings that a file may declare, by the names that callers write. */
const encodings = new Map([
  ['utf-8', 'utf-8'],
  ['utf8', 'utf-8'],
  ['us-ascii', 'utf-8'],
  ['utf-16', 'utf-16le'],
  ['utf-16le', 'utf-16le'],
  ['utf-16be', 'utf-16be'],
  ['windows-1252', 'windows-1252'],
  ['cp1252', 'windows-1252'],
  ['iso-8859-1', 'windows-1252'],
  ['latin1', 'windows-1252'],
]);

export const knownCharsets = 'utf-8, utf-16 or windows-1252';

/** The name of the encoding. Undefined: it is unknown. */
export const readCharset = (given: string): string | undefined => encodings.get(given.trim().toLowerCase());
