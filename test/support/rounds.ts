/** `npm run rounds` sets it: tests that kill something are trusted once they have held twenty times. */
export const crashRounds = Number(process.env['CRASH_ROUNDS'] ?? 1);
export const everyRound = Array.from({ length: crashRounds }, (_, index) => index + 1);
