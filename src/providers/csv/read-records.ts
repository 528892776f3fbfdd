import { CsvError, parse } from 'csv-parse';
import { createTextDecoding } from './decode-text.ts';
import { FileError } from './file-error.ts';

export interface CsvRecord {
  /** Where it begins; the first line is 1. */
  line: number;
  cells: string[];
}

export const maxColumns = 200;
/** Of a record, in bytes as UTF-8. A quote that is never closed ends here too. */
const maxRecordBytes = 65_536;
const separators = [',', ';', '\t'] as const;

/** Yields the records of a file as they arrive, and holds only some. Throws a `FileError` where the file cannot be read on. */
export async function* readRecords(
  bytes: AsyncIterable<Uint8Array>,
  { charset }: { charset: string | undefined },
): AsyncGenerator<CsvRecord, void, undefined> {
  const text = decodeAll(bytes, charset);
  const { head, rest } = await readHead(text);
  const parser = parse({
    delimiter: separatorOf(head),
    record_delimiter: ['\n', '\r'],
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRecordBytes,
  });
  let failure: unknown;
  const fed = feed(parser, head, rest).catch((error: unknown) => {
    failure = error;
    parser.destroy();
  });
  let line = 0;
  try {
    for await (const { info, record } of parser as AsyncIterable<{ info: { lines: number }; record: string[] }>) {
      const breaks = record.reduce((sum, cell) => sum + countBreaks(cell), 0);
      line = info.lines;
      yield { line: info.lines - breaks, cells: record };
    }
    await fed;
    // A destroyed parser ends its records without an error.
    if (failure !== undefined) throw failure;
  } catch (error) {
    throw failure instanceof FileError ? failure : toFileError(failure ?? error, line);
  } finally {
    parser.destroy();
  }
}

async function* decodeAll(bytes: AsyncIterable<Uint8Array>, charset: string | undefined): AsyncGenerator<string, void, undefined> {
  const decoding = createTextDecoding(charset);
  const normalize = createLineEnds();
  for await (const chunk of bytes) {
    const text = normalize(decoding.decode(chunk));
    if (text !== '') yield text;
  }
  const last = normalize(decoding.decode(new Uint8Array(), true), true);
  if (last !== '') yield last;
}

/** Ends lines with LF where they end with CRLF, so that each counts once, also within quotes. A CR that stands alone stays. */
function createLineEnds(): (text: string, end?: boolean) => string {
  let held = '';
  return (text, end = false) => {
    const whole = held + text;
    held = whole.endsWith('\r') && !end ? '\r' : '';
    return whole.slice(0, whole.length - held.length).replaceAll('\r\n', '\n');
  };
}

/** Reads up to the end of the first line, which says what separates the columns. */
async function readHead(text: AsyncGenerator<string, void, undefined>): Promise<{ head: string; rest: AsyncIterable<string> }> {
  let head = '';
  while (head.length <= maxRecordBytes && !/[\r\n]./s.test(head.trimStart())) {
    const next = await text.next();
    if (next.done) break;
    head += next.value;
  }
  return { head, rest: text };
}

/** What the first line has most of, outside of quotes. */
function separatorOf(head: string): string {
  const [line = ''] = head
    .replaceAll(/"[^"]*"/g, '')
    .replace(/^[\r\n]+/, '')
    .split(/[\r\n]/, 1);
  const counted = separators.map((separator) => ({ separator, count: line.split(separator).length }));
  return counted.reduce((most, one) => (one.count > most.count ? one : most)).separator;
}

async function feed(parser: ReturnType<typeof parse>, head: string, rest: AsyncIterable<string>): Promise<void> {
  await write(parser, head);
  for await (const text of rest) {
    if (parser.destroyed) return;
    await write(parser, text);
  }
  parser.end();
}

/** Waits until the parser has room. */
function write(parser: ReturnType<typeof parse>, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (parser.destroyed || text === '' || parser.write(text)) return resolve();
    const go = () => {
      parser.off('drain', go).off('close', go);
      resolve();
    };
    parser.on('drain', go).on('close', go);
  });
}

const countBreaks = (cell: string) => (/[\r\n]/.test(cell) ? cell.split(/[\r\n]/).length - 1 : 0);

const sentences: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'A quote is opened and never closed.',
  CSV_INVALID_CLOSING_QUOTE: 'A quote ends within a field. Write a quote within a quoted field as two quotes.',
  INVALID_OPENING_QUOTE: 'A quote begins within a field. Put the whole field into quotes, and write a quote in it as two quotes.',
  CSV_MAX_RECORD_SIZE: `The record is larger than ${maxRecordBytes} bytes (fixed limit), or a quote is never closed.`,
};

function toFileError(error: unknown, lastLine: number): unknown {
  if (!(error instanceof CsvError)) return error;
  const { lines, column } = error as unknown as { lines?: number; column?: number | string };
  return new FileError(
    // Where the record begins, not where it was too large.
    error.code === 'CSV_MAX_RECORD_SIZE' ? lastLine + 1 : (lines ?? lastLine),
    typeof column === 'number' ? column + 1 : null,
    sentences[error.code] ?? 'The file is not valid CSV.',
  );
}
