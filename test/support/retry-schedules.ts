/** A schedule that is not exhausted within a test. */
export const retryEvery = (seconds: number) => Array.from({ length: 200 }, () => seconds).join();
export const retryOnce = '0.05';
