import { readConfig, type Command } from '../../config.ts';
import { findOperatorSecretWarnings } from '../../directory/webhook-secret-warnings.ts';
import { createLogger } from '../../logger.ts';
import { findMisspeltSettings } from '../../config/unknown-settings.ts';
import { installTemporalRuntime } from '../../temporal/runtime.ts';
import { readSettings } from '../read-settings.ts';
import { endOnSignal } from './drain-on-signal.ts';
import { startAlone } from './start-alone.ts';
import { startPart } from './start-part.ts';

/** Runs until it is told to end. */
export async function serve(command: Exclude<Command, 'migrate'>, env: NodeJS.ProcessEnv): Promise<void> {
  const signals = endOnSignal();
  readSettings();
  const config = readConfig(env, command);
  const log = createLogger(config.logLevel);
  for (const sentence of findMisspeltSettings(Object.keys(env))) log.warn(sentence);
  for (const sentence of findOperatorSecretWarnings(config.webhooks.operator?.secret)) log.warn(sentence);
  installTemporalRuntime(log);
  const running = command === 'start' ? await startAlone({ config, path: env['PATH'], log }) : await startPart(command, config, log);
  signals.drain(running, log);
  running.tellReady();
}
