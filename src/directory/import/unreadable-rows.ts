import { AppError } from '../../errors.ts';
import { ScimError } from '../../scim/errors.ts';
import { UnreadableRowError } from './polis-records.ts';
import type { DirectoryReport } from './report.ts';

const maxNamed = 100;

/** Adds a row to a report. Throws what is not a problem of the row. */
export function noteUnreadable({ unreadable }: Pick<DirectoryReport, 'unreadable'>, error: unknown, key: string): void {
  const problem = error instanceof UnreadableRowError ? error.problem : describeInvalid(error).replace(/\.$/, '');
  if (unreadable.length < maxNamed) unreadable.push({ key, problem });
}

/** What is wrong with a resource that no caller of the API could create either. */
function describeInvalid(error: unknown): string {
  if (error instanceof ScimError) return error.details.detail;
  if (error instanceof AppError && error.code === 'invalid_request') return error.message;
  throw error;
}

/** Names the first row, and counts the others. */
export function describeUnreadable([first, ...others]: DirectoryReport['unreadable']): string {
  const sentence = new UnreadableRowError(first!.key, first!.problem).message;
  if (others.length === 0) return sentence;
  const count =
    others.length + 1 === maxNamed
      ? `${others.length} or more other rows`
      : others.length === 1
        ? '1 other row'
        : `${others.length} other rows`;
  return `${sentence} ${count} cannot be read either.`;
}
