/** Set by `npm run rounds`. */
export const crashRounds = Number(process.env['CRASH_ROUNDS'] ?? 1);
export const everyRound = Array.from({ length: crashRounds }, (_, index) => index + 1);
