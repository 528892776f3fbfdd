import type { DirectoryWithHealth } from '../../../client/generated/types.ts';

export interface TabProps {
  directory: DirectoryWithHealth;
  /** Reads the directory again, after something was changed. */
  reload(): void;
  /** What follows the tab's own part in the path, such as the ID of a user; empty: nothing. */
  rest: string;
}
