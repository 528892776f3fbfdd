import { CsvError, parse } from 'csv-parse';
import { createTextDecoding } from './decode-text.ts';
import { createYieldToEventLoop } from '../../shared/yield-to-event-loop.ts';
import { FileError } from './file-error.ts';

export interface CsvRecord {
  /** Where it begins; the first line is 1. */
  line: number;
  cells: string[];
}

export const maxColumns = 200;
/** Of a record, in bytes as UTF-8. A quote that is never closed ends here too. */
const maxRecordBytes = 65_536;
/** Of a record as it is written: with its separators, and with quotes written twice. The parser counts neither. */
const maxWrittenBytes = 4 * maxRecordBytes;
/** What the parser reads in one go blocks the event loop. */
const pieceBytes = 16_384;
const separators = [',', ';', '\t'] as const;

/** Yields the records of a file as they arrive, and holds only some. Throws a `FileError` where the file cannot be read on. */
export async function* readRecords(
  bytes: AsyncIterable<Uint8Array>,
  { charset }: { charset: string | undefined },
): AsyncGenerator<CsvRecord, void, undefined> {
  const pause = createYieldToEventLoop();
  const { head, rest } = await readHead(decodeAll(bytes, charset));
  const parser = createParser(separatorOf(head));
  try {
    for await (const piece of toPieces(head, rest)) {
      const { records, failure } = await parser.parse(piece);
      yield* records;
      if (failure) throw failure;
      await pause();
    }
    const { records, failure } = await parser.end();
    yield* records;
    if (failure) throw failure;
  } finally {
    parser.close();
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

async function* toPieces(head: string, rest: AsyncIterable<string>): AsyncGenerator<Buffer, void, undefined> {
  for await (const text of concat(head, rest)) {
    const bytes = Buffer.from(text);
    for (let from = 0; from < bytes.length; from += pieceBytes) yield bytes.subarray(from, from + pieceBytes);
  }
}

async function* concat(head: string, rest: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  yield head;
  yield* rest;
}

interface Parsed {
  records: CsvRecord[];
  /** What comes after these records. */
  failure?: Error | undefined;
}

/** Returns the records that end in each piece. Those before a failure are returned too, so that it always has the same line. */
function createParser(separator: string) {
  let records: CsvRecord[] = [];
  let lastLine = 0;
  let [ended, line, written] = [0, 1, 0];
  const parser = parse({
    delimiter: separator,
    record_delimiter: ['\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRecordBytes,
    // Nothing is left for the stream to hold.
    on_record: (cells: string[], { lines }) => {
      const breaks = cells.reduce((sum, cell) => sum + countBreaks(cell), 0);
      records.push({ line: lines - breaks, cells });
      lastLine = lines;
    },
  });
  // The calls report it.
  parser.on('error', () => undefined);

  async function take(run: (done: (error?: Error | null) => void) => void): Promise<Parsed> {
    const error = await new Promise<Error | null | undefined>(run);
    const taken = records;
    records = [];
    return { records: taken, ...(error && { failure: toFileError(error, lastLine) }) };
  }

  return {
    async parse(piece: Buffer): Promise<Parsed> {
      const parsed = await take((done) => void parser.write(piece, done));
      return { ...parsed, failure: parsed.failure ?? findEndlessRecord(piece.length) };
    },
    end: () => take((done) => void parser.end(done)),
    close: () => void parser.destroy(),
  };

  /** A record that is longer than any that is accepted: the parser would keep all of its fields. */
  function findEndlessRecord(bytes: number): FileError | undefined {
    const { records: ends, empty_lines: empty, lines } = parser.info;
    written += bytes;
    if (ends + empty > ended) [ended, line, written] = [ends + empty, lines, bytes];
    return written > maxWrittenBytes ? new FileError(line, null, recordTooLarge) : undefined;
  }
}

const countBreaks = (cell: string) => (/[\r\n]/.test(cell) ? cell.split(/[\r\n]/).length - 1 : 0);

const recordTooLarge = `The record is larger than ${maxRecordBytes} bytes (fixed limit), or a quote is never closed.`;

const sentences: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'A quote is opened and never closed.',
  CSV_INVALID_CLOSING_QUOTE: 'A quote ends within a field. Write a quote within a quoted field as two quotes.',
  INVALID_OPENING_QUOTE: 'A quote begins within a field. Put the whole field into quotes, and write a quote in it as two quotes.',
  CSV_MAX_RECORD_SIZE: recordTooLarge,
};

function toFileError(error: Error, lastLine: number): Error {
  if (!(error instanceof CsvError)) return error;
  const { lines, column } = error as unknown as { lines?: number; column?: number | string };
  return new FileError(
    // Where the record begins, not where it was too large.
    error.code === 'CSV_MAX_RECORD_SIZE' ? lastLine + 1 : (lines ?? lastLine),
    typeof column === 'number' ? column + 1 : null,
    sentences[error.code] ?? 'The file is not valid CSV.',
  );
}
