const [alertFailures, alertMs] = [3, 300_000];

/** Whether to alert the operator of failures: three in a row, or two within five minutes or more. One failure happens in every deployment. */
export const isAlertDue = ({ failures, failingMs }: { failures: number; failingMs: number }): boolean =>
  failures >= alertFailures || (failures > 1 && failingMs >= alertMs);

/** Announces states that no request or delivery announces. Each call announces at most `limit` and returns how many; none is announced twice. */
export interface HealthAlertStore {
  /** Directories without a push or a sync for too long. An episode ends with the next push or sync. */
  announceStale(limit: number): Promise<number>;
  /** Recovered deliveries whose process ended before it announced them. */
  announceRecovered(limit: number): Promise<number>;
}
