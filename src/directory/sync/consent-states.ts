import { createHash } from 'node:crypto';
import { z } from 'zod';
import { browserMismatch, stateUsed } from './authorization-errors.ts';

/** Opens only what this service sealed. */
export interface StateSeal {
  seal(text: string, context: string): string;
  open(sealed: string, context: string): string | undefined;
}

const consentContext = 'google-consent';
const confirmationContext = 'google-confirmation';

/** The state of the open flow. It is valid only in the browser that it was created for. */
const consentState = z.object({
  directoryId: z.string(),
  codeVerifier: z.string(),
  authorizationVersion: z.number(),
  browser: z.string(),
  expiresAtMs: z.number(),
});

/** The open flow keeps everything in its sealed state, and stores nothing. `browser` is a secret in a cookie of the person's browser. */
export const createConsentStates = ({ seal, open }: StateSeal, now: () => number) => ({
  write: ({ browser, ...state }: z.output<typeof consentState>): string =>
    seal(JSON.stringify({ ...state, browser: digest(browser) }), consentContext),

  /** Undefined if the state is not of the open flow. */
  read(state: string) {
    const text = open(state, consentContext);
    if (text === undefined) return undefined;
    const { browser: browserDigest, ...consent } = consentState.parse(JSON.parse(text));
    if (consent.expiresAtMs < now()) throw stateUsed();
    return {
      ...consent,
      assertBrowser(browser: string | undefined): void {
        if (browser === undefined || browserDigest !== digest(browser)) throw browserMismatch();
      },
    };
  },

  /** Proves that this browser was shown the page for the subject, so that a link can't skip it. */
  confirmation: (subject: string, browser: string): string => seal(JSON.stringify([subject, browser]), confirmationContext),
  isConfirmed: (confirmation: string, subject: string, browser: string): boolean =>
    open(confirmation, confirmationContext) === JSON.stringify([subject, browser]),
});

const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
