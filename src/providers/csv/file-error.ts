/** Nothing after it can be read. */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly line: number | null;
  /** The number of the field within the line; the first is 1. */
  readonly column: number | null;

  constructor(line: number | null, column: number | null, message: string) {
    super(message);
    this.line = line;
    this.column = column;
  }
}
