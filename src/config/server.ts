import { z } from 'zod';
import { StartupError } from '../errors.ts';
import { parseDuration, unitMs } from '../shared/parse-duration.ts';
import { longEnoughKeys, minKeyLength } from '../shared/api-keys.ts';
import { address, flag, list, notNegative, port, positive, text } from './fields.ts';

/** Separated by commas, or one per line as in the data folder. */
const encryptionKeys = text
  .transform((value) => value.split(/[\s,]+/).filter(Boolean))
  .refine((keys) => keys.length > 0 && keys.every((key) => Buffer.from(key, 'base64').length === 32), {
    error: 'a comma-separated list of keys, each 32 random bytes in base64 (openssl rand -base64 32)',
  })
  .transform((keys) => keys.map((key) => Buffer.from(key, 'base64')));

/** Reads the encryption keys in a file of the data folder or of a backup. */
export function readEncryptionKeys(content: string, where: string): Buffer[] {
  const { data, error } = encryptionKeys.safeParse(content);
  if (data === undefined)
    throw new StartupError(`${where} is damaged: it must hold ${error.issues[0]!.message}. Restore it from a backup.`);
  return data;
}

/** What Microsoft's gallery allows. */
function readTokenLifetime(given: string): number | undefined {
  const lifetimeMs = parseDuration(given);
  return lifetimeMs !== undefined && lifetimeMs >= unitMs.h && lifetimeMs <= 6 * unitMs.h ? lifetimeMs : undefined;
}

/** Listening, keys, data folder and log. */
export const serverSettings = {
  HOST: text.default('127.0.0.1').describe('Address to listen on; 0.0.0.0 for every interface.'),
  PORT: port.default(5225).describe('Port to listen on; 0 picks a free one.'),
  METRICS_PORT: port
    .optional()
    .describe('Port that serves /metrics without authentication; if unset, PORT serves it and requires an API key.'),
  METRICS_HOST: text.default('127.0.0.1').describe('Address to listen on for METRICS_PORT.'),
  MAX_CONNECTIONS: positive
    .max(100_000, 'at most 100000')
    .default(2_000)
    .describe('Maximum open connections per process; one address outside TRUSTED_PROXIES may use half of them.'),
  EXTERNAL_URL: address(/^https?$/, 'an http(s) address')
    .optional()
    .describe('Public base address of this service for identity providers and applications; default: http://HOST:PORT.'),
  API_KEYS: list
    .pipe(z.array(z.string().min(minKeyLength, longEnoughKeys)).min(1, 'a list of at least one key'))
    .optional()
    .describe(
      'Comma-separated keys for the JSON API, each at least 32 characters; if unset, `npm start` creates one and keeps it in the data folder.',
    ),
  SECRETS_SHOWN_ONCE: flag
    .default(false)
    .describe('true shows a secret only when it is created or rotated, and never again, even to API_KEYS.'),
  SCIM_ACCESS_TOKEN_TTL: z
    .string()
    .transform((value, context) => readTokenLifetime(value) ?? (context.addIssue('a duration from 1h to 6h, such as 90m'), z.NEVER))
    .prefault('1h')
    .describe('How long an access token that an identity provider gets for SCIM is valid, from 1h to 6h.'),
  ENCRYPTION_KEYS: encryptionKeys
    .optional()
    .describe(
      'Comma-separated 32-byte keys in base64. The first encrypts, all decrypt; if unset, `npm start` creates one and keeps it in the data folder.',
    ),
  ROLLCALL_DATA_DIR: text.default('.rollcall').describe('Folder in which `npm start` keeps its databases and keys.'),
  MIN_FREE_DISK_BYTES: notNegative
    .default(536_870_912)
    .describe(
      'Minimum free bytes on the disk of the data folder; below it, changes get 503 and /health/ready reports it. 0 turns the check off.',
    ),
  LOW_DISK_BYTES: notNegative
    .optional()
    .describe(
      'Free bytes on the disk of the data folder below which large directories may only delete; default: four times MIN_FREE_DISK_BYTES. 0 turns the check off.',
    ),
  LOW_DISK_BYTES_PER_DIRECTORY: notNegative
    .default(268_435_456)
    .describe('Bytes of users, groups, events and history that a directory may hold before it counts as large for LOW_DISK_BYTES.'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'fatal, error, warn, info, debug, trace or silent')
    .default('info')
    .describe('Minimum severity of log lines.'),
  LOG_FORMAT: z
    .enum(['json', 'text'], 'json or text')
    .optional()
    .describe('Format of log lines: json or text; default: text on a terminal, json elsewhere.'),
};
