import type { Language } from '../languages/languages.ts';

/** What to do at an identity provider. `docs/guides/providers` says the same, which a test compares. `**label**` is a word on its screens. */
export interface Guide {
  name: string;
  /** The page in `docs/guides/providers`. */
  page: string;
  /** Where endpoint and secret are entered. */
  connectionAt: string;
  /** Where it is decided what is sent. */
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
