/** Undelivered events of all directories. */
export interface Backlog {
  events: number;
  /** Number of directories with undelivered events, by the status of their delivery. */
  directories: Record<string, number>;
  oldestSeconds: number;
}
