/** Scripts rely on these. */
export const exitCodes = {
  success: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  unauthorized: 4,
  unavailable: 5,
  unhealthy: 6,
  confirmationRequired: 7,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const meanings: Record<keyof typeof exitCodes, string> = {
  success: 'Success. Also when `events tail` is stopped with Ctrl-C.',
  failed: 'The command failed; the message says why. Also if a replay or sync that the command waited for failed.',
  usage: 'Usage error: a command, argument or option is missing, unknown or invalid. Nothing was changed.',
  notFound: 'The resource does not exist.',
  unauthorized: 'The API key is missing or invalid.',
  unavailable: 'The service is unreachable or busy. The same command may succeed later.',
  unhealthy: '`doctor` found a problem, or `keys rewrap` found an older key that is still in use.',
  confirmationRequired:
    'Confirmation required: `directories delete` needs `--yes`, `sync` needs `--confirm`, `listen` needs `--replace-webhook`, `backup` needs `--without-keys`.',
};

export const exitCodesText = [
  'Exit codes:',
  '',
  ...Object.entries(exitCodes).map(([name, code]) => `  ${code}  ${meanings[name as keyof typeof exitCodes]}`),
].join('\n');
