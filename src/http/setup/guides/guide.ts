import type { Language } from '../languages/languages.ts';

/**
 * The steps at an identity provider, for the set-up page and, in English, for `docs/guides/providers`, where `npm run guides` writes them.
 * `**label**` is a word on its screens; a name to type or to find is between backticks.
 */
export interface Guide {
  name: string;
  /** The page in `docs/guides/providers`. */
  page: string;
  /** Where endpoint and secret are entered. */
  connectionAt: string;
  /** Where the administrator chooses which attributes are sent. */
  mappingAt: string;
  steps: Step[];
}

interface Step {
  text: Record<Language, string>;
  fields?: Field[];
}

export interface Field {
  label: string;
  /** What to enter: one of the two values of the directory, a word on the screen, or a text. */
  value: { of: 'endpoint' | 'secret' } | { label: string } | { text: string };
}

export const endpoint = { of: 'endpoint' } as const;
export const secret = { of: 'secret' } as const;
