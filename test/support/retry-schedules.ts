/** A schedule that is not exhausted within a test. */
export const tryEvery = (seconds: number) => Array.from({ length: 200 }, () => seconds).join();
/** A schedule by which one failure is tried again, and the next one gives up. */
export const tryTwice = '0.05';
