/** What a script may rely on. */
export const exitCodes = {
  done: 0,
  failed: 1,
  mistyped: 2,
  notFound: 3,
  notAuthorised: 4,
  tryAgain: 5,
  unhealthy: 6,
  wantsConfirmation: 7,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const sentences: Record<keyof typeof exitCodes, string> = {
  done: 'It is done. `events tail` ends so at Ctrl-C, too.',
  failed: 'It failed, or was refused: the message says why.',
  mistyped: 'A command, an argument or an option was mistyped, or is missing. Nothing was done.',
  notFound: 'What was asked for is not there.',
  notAuthorised: 'There is no API key, or the service did not take it.',
  tryAgain: 'The service does not answer, or is busy: the same command may work later.',
  unhealthy: '`doctor` found something that has to be put right; `keys rewrap`: an older key is still in use.',
  wantsConfirmation: 'Nothing goes on without a confirmation: `--yes` of `directories delete`, `--confirm` of `sync`.',
};

export const exitCodesText = [
  'What `rollcall` ends with:',
  '',
  ...Object.entries(exitCodes).map(([name, code]) => `  ${code}  ${sentences[name as keyof typeof exitCodes]}`),
].join('\n');
