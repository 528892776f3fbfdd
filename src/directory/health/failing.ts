/** The failures of a directory's delivery. The fields are undefined, and the count is 0, while delivery succeeds. */
export interface Failing {
  /** The first failure since the last success. */
  failingSince: Date | undefined;
  consecutiveFailures: number;
  /** Undefined if no attempt follows. */
  nextAttemptAt: Date | undefined;
  lastError: LastDeliveryError | undefined;
}

interface LastDeliveryError {
  at: Date;
  message: string | undefined;
  /** Undefined if there was no response. */
  statusCode: number | undefined;
  /** The ID of the delivery, a slash, and the number of the attempt. */
  attemptId: string;
}
