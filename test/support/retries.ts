/** A schedule that is not exhausted within a test. */
export const tryEvery = (seconds: number) => Array.from({ length: 200 }, () => seconds).join();
