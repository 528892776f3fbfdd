import { type Config, findUnknownSettings, readConfig } from '../../config.ts';
import { StartupError } from '../../errors.ts';
import { createFindings, type Finding } from './findings.ts';
import { findOperatorSecretWarnings } from '../../directory/delivery/webhook-settings.ts';

const { ok, problem, warning } = createFindings('Configuration');

export interface Configuration {
  findings: Finding[];
  /** Undefined if it is invalid. */
  config: Config | undefined;
}

/** Every problem that would stop the service from starting, and settings that may be misspelled. */
export function checkConfiguration(env: NodeJS.ProcessEnv): Configuration {
  const unknown = findUnknownSettings(Object.keys(env));
  const warnings = unknown.map((message) => warning(message, 'Correct or remove it in the environment or .env.'));
  try {
    const config = readConfig(env, 'start');
    return { config, findings: [ok('All settings are valid.'), ...findRisks(config), ...warnings] };
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    const lines = error.message
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
    const problems = lines
      .filter((line) => !unknown.includes(line))
      .map((line) => problem(`${line}.`, 'Correct it in the environment or .env; .env.example documents each setting.'));
    return { config: undefined, findings: [...problems, ...warnings] };
  }
}

/** Valid settings that may not do what was intended. */
function findRisks({ host, externalUrl, encryptionKeys, database, temporal, apiKeys, webhooks }: Config): Finding[] {
  const risks = findOperatorSecretWarnings(webhooks.operator?.secret).map((message) =>
    warning(message, 'Set a longer WEBHOOK_SECRET here and at the receiver.'),
  );
  if (['0.0.0.0', '::'].includes(host) && externalUrl === undefined)
    risks.push(
      warning(
        'EXTERNAL_URL is not set and HOST listens on every interface, so SCIM endpoints start with http://localhost.',
        'Set EXTERNAL_URL to the URL at which identity providers reach the service.',
      ),
    );
  if (externalUrl?.startsWith('http:') && !/^http:\/\/(localhost|127\.|\[::1\])/.test(externalUrl))
    risks.push(
      warning(
        'EXTERNAL_URL is http: secrets are sent unencrypted.',
        'Terminate TLS in front of the service, and set EXTERNAL_URL to the https URL.',
      ),
    );
  if (database.url !== undefined && temporal.address !== undefined)
    for (const [name, value] of [
      ['ENCRYPTION_KEYS', encryptionKeys],
      ['API_KEYS', apiKeys],
    ] as const)
      if (value === undefined)
        risks.push(
          warning(
            `${name} is not set. \`rollcall start\` generates one, but \`rollcall api\` requires it.`,
            `Set ${name} where you run \`rollcall api\`.`,
          ),
        );
  return risks;
}
