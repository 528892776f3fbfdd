/** What waits to be delivered, over all directories. */
export interface Backlog {
  events: number;
  /** Directories with something to deliver, by the state of their delivery. */
  directories: Record<string, number>;
  oldestSeconds: number;
}
