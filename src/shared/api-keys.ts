/** Minimum length of an API key, in characters. */
export const minKeyLength = 32;
/** Follows "must be" in a message about keys that are shorter. */
export const longEnoughKeys = `keys of at least ${minKeyLength} characters each; create one with \`openssl rand -hex 32\``;
