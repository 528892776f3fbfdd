/** A schedule that is not exhausted within a test. */
export const tryEvery = (seconds: number) => Array.from({ length: 200 }, () => seconds).join();
/** A schedule with one retry. */
export const tryTwice = '0.05';
