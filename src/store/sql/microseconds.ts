/** A time as a number that keeps all of its digits. */
export const toMicroseconds = (time: string) => `cast(extract(epoch from ${time}) * 1000000 as float8)`;
export const ofMicroseconds = (number: string) => `(timestamptz 'epoch' + cast(${number} as bigint) * interval '1 microsecond')`;
