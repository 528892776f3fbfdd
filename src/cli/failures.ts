import type { ExitCode } from './exit-codes.ts';

/** What was typed can't be meant. The message is a sentence that names the argument. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A command ends without having done what was asked; the message is a sentence for the person at the terminal. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;
  /** The field of the API that is at fault, if there is one. */
  readonly field: string | undefined;

  constructor(exitCode: ExitCode, message: string, field?: string) {
    super(message);
    this.exitCode = exitCode;
    this.field = field;
  }
}
