/** The document says something that no client can be made of; the message says what. */
export class Refusal extends Error {}
