/** Text that Postgres and every consumer can hold. */
export const isCleanText = (value: string) => !value.includes('\0') && value.isWellFormed();
