export type Verdict = 'ok' | 'warning' | 'problem' | 'skipped';

/** What one look came to, and what to do about it. */
export interface Finding {
  check: string;
  verdict: Verdict;
  message: string;
  advice?: string;
}

export type Look = (signal: AbortSignal) => Promise<Finding[]>;

export const createFindings = (check: string) => ({
  ok: (message: string): Finding => ({ check, verdict: 'ok', message }),
  warning: (message: string, advice: string): Finding => ({ check, verdict: 'warning', message, advice }),
  problem: (message: string, advice: string): Finding => ({ check, verdict: 'problem', message, advice }),
  skipped: (message: string): Finding => ({ check, verdict: 'skipped', message }),
});
