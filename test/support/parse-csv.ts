import type { FileKind, ParsedItem } from '../../src/directory/files/ports.ts';
import { parseFile } from '../../src/providers/csv/parse-file.ts';

/** Parses a file that arrives in chunks of `chunkBytes`. */
export async function parse(
  kind: FileKind,
  text: string | Buffer,
  { charset, chunkBytes = 7_919 }: { charset?: string; chunkBytes?: number } = {},
) {
  const bytes = Buffer.from(text as string);
  async function* arrive() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield Promise.resolve(bytes.subarray(at, at + chunkBytes));
  }
  const items: ParsedItem[] = [];
  for await (const item of parseFile(kind, arrive(), { charset })) items.push(item);
  return {
    rows: items.flatMap((item) => (item.kind === 'row' ? [item.row] : [])),
    members: items.flatMap((item) => (item.kind === 'member' ? [item.member] : [])),
    problems: items.flatMap((item) => (item.kind === 'problem' ? [item] : [])),
  };
}
