/** A burst limit in requests per second and a sustained one in requests per minute. Both hold. */
export interface Limit {
  rps: number;
  rpm: number;
}
