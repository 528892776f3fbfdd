import { readConfig, type Config } from '../../config.ts';
import { findOperatorSecretWarnings } from '../../directory/webhook-secret-warnings.ts';
import { StartupError } from '../../errors.ts';
import { findMisspeltSettings } from '../../config/unknown-settings.ts';
import { createFindings, type Finding } from './finding.ts';

const { ok, problem, warning } = createFindings('Configuration');

export interface Configuration {
  findings: Finding[];
  /** None if it can't be read. */
  config: Config | undefined;
}

/** Every problem of the settings, as a start would tell it, and what may be misspelt. */
export function checkConfiguration(env: NodeJS.ProcessEnv): Configuration {
  const { config, findings } = tryConfig(env);
  const misspelt = findMisspeltSettings(Object.keys(env)).map((sentence) =>
    warning(sentence, 'Correct its name in the environment or in .env, or take it away.'),
  );
  return { config, findings: [...findings, ...misspelt] };
}

function tryConfig(env: NodeJS.ProcessEnv): Configuration {
  try {
    const config = readConfig(env, 'start');
    return { config, findings: [ok('Every setting can be read.'), ...findDoubts(config)] };
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    const problems = error.message.split('\n').slice(1);
    return {
      config: undefined,
      findings: problems.map((line) =>
        problem(`${line.trim()}.`, 'Correct it in the environment or in .env; .env.example explains each setting.'),
      ),
    };
  }
}

/** What can be read, and may still not be meant. */
function findDoubts({ host, externalUrl, encryptionKeys, database, temporal, apiKeys, webhooks }: Config): Finding[] {
  const doubts = findOperatorSecretWarnings(webhooks.operator?.secret).map((sentence) =>
    warning(sentence, 'Set a longer WEBHOOK_SECRET here and at the receiver.'),
  );
  if (['0.0.0.0', '::'].includes(host) && externalUrl === undefined)
    doubts.push(
      warning(
        'EXTERNAL_URL is not set, and HOST is every interface: endpoints are handed out as http://localhost.',
        'Set EXTERNAL_URL to the address under which identity providers reach the service.',
      ),
    );
  if (externalUrl?.startsWith('http:') && !/^http:\/\/(localhost|127\.|\[::1\])/.test(externalUrl))
    doubts.push(warning('EXTERNAL_URL is http: secrets travel in clear.', 'Put TLS in front, and set EXTERNAL_URL to the https address.'));
  if (database.url !== undefined && temporal.address !== undefined)
    for (const [name, value] of [
      ['ENCRYPTION_KEYS', encryptionKeys],
      ['API_KEYS', apiKeys],
    ] as const)
      if (value === undefined)
        doubts.push(
          warning(
            `${name} is not set: \`rollcall start\` keeps one of its own, \`rollcall api\` wants it.`,
            `Set ${name} where you run \`rollcall api\`.`,
          ),
        );
  return doubts;
}
