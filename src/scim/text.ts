/** Text that Postgres and every consumer can hold. */
export const isCleanText = (value: string) => !value.includes('\0') && value.isWellFormed();

/** For what is compared without regard to case, and to the two ways of writing an accent. */
export const foldCase = (text: string) => text.normalize('NFC').toLowerCase();
