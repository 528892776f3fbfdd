import { FileError } from './file-error.ts';

/** How the bytes of a file become text. */
interface TextDecoding {
  /** `end`: there are no more bytes. */
  decode(bytes: Uint8Array, end?: boolean): string;
}

/** A byte order mark decides, then the declared encoding, and then it is UTF-8. */
export function createTextDecoding(declared: string | undefined): TextDecoding {
  let head: Buffer = Buffer.alloc(0);
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let lines = 0;
  let lastWasReturn = false;
  return {
    decode(bytes, end = false) {
      let chunk = bytes;
      if (!decoder) {
        head = Buffer.concat([head, bytes]);
        if (head.length < longestMark && !end) return '';
        decoder = new TextDecoder(encodingOf(head) ?? declared ?? 'utf-8', { fatal: true });
        chunk = head;
      }
      let text: string;
      try {
        text = decoder.decode(chunk, { stream: !end });
      } catch {
        throw notText(decoder.encoding, lines + 1 + countLines(upToInvalid(chunk, decoder.encoding), false).lines);
      }
      const counted = countLines(text, lastWasReturn);
      lines += counted.lines;
      lastWasReturn = counted.endsWithReturn;
      return text;
    },
  };
}

const longestMark = 3;

function encodingOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

const notText = (encoding: string, line: number) =>
  new FileError(
    line,
    null,
    encoding === 'utf-8'
      ? 'The text is not valid UTF-8. Save the file as UTF-8, or declare its charset, such as windows-1252.'
      : `The text is not valid ${encoding.toUpperCase()}.`,
  );

/** A replacement character stands where the first invalid bytes are. */
function upToInvalid(chunk: Uint8Array, encoding: string): string {
  const text = new TextDecoder(encoding).decode(chunk);
  const at = text.indexOf('\uFFFD');
  return at < 0 ? text : text.slice(0, at);
}

function countLines(text: string, afterReturn: boolean): { lines: number; endsWithReturn: boolean } {
  let lines = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 13) lines += 1;
    else if (code === 10 && !(at === 0 ? afterReturn : text.charCodeAt(at - 1) === 13)) lines += 1;
  }
  return { lines, endsWithReturn: text === '' ? afterReturn : text.endsWith('\r') };
}
