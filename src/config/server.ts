import { z } from 'zod';
import { StartupError } from '../errors.ts';
import { address, list, port, positive, text } from './fields.ts';

/** By comma, or one a line as in the data folder. */
const encryptionKeys = text
  .transform((value) => value.split(/[\s,]+/).filter(Boolean))
  .refine((keys) => keys.length > 0 && keys.every((key) => Buffer.from(key, 'base64').length === 32), {
    error: 'a comma-separated list of keys, each 32 random bytes in base64 (openssl rand -base64 32)',
  })
  .transform((keys) => keys.map((key) => Buffer.from(key, 'base64')));
/** Of a key for the JSON API, in characters. */
export const minKeyLength = 32;

/** What a file of the data folder, or of a backup, holds. */
export function readEncryptionKeys(content: string, where: string): Buffer[] {
  const { data, error } = encryptionKeys.safeParse(content);
  if (data === undefined)
    throw new StartupError(`${where} is damaged: it must hold ${error.issues[0]!.message}. Restore it from a backup.`);
  return data;
}

/** Where a process listens, its keys, its data folder and its log. */
export const serverSettings = {
  HOST: text.default('127.0.0.1').describe('Address to listen on; 0.0.0.0 for every interface.'),
  PORT: port.default(5225).describe('Port to listen on; 0 takes a free one.'),
  METRICS_PORT: port
    .optional()
    .describe('Port at which /metrics is open to whoever reaches it; without it /metrics is at PORT, and wants an API key.'),
  METRICS_HOST: text.default('127.0.0.1').describe('Address to listen on at METRICS_PORT.'),
  MAX_CONNECTIONS: positive
    .max(100_000, 'at most 100000')
    .default(2_000)
    .describe('Most connections that one process accepts at once; from one address that is not in TRUSTED_PROXIES at most half of them.'),
  EXTERNAL_URL: address(/^https?$/, 'an http(s) address')
    .optional()
    .describe('Address under which identity providers and applications reach this service; http://HOST:PORT by default.'),
  API_KEYS: list
    .pipe(
      z
        .array(z.string().min(minKeyLength, `keys of at least ${minKeyLength} characters each; \`openssl rand -hex 32\` makes one`))
        .min(1, 'at least one key'),
    )
    .optional()
    .describe(
      'Comma list of keys for the JSON API, each of at least 32 characters; `npm start` makes one and keeps it in the data folder.',
    ),
  ENCRYPTION_KEYS: encryptionKeys
    .optional()
    .describe(
      'Comma list of 32-byte keys in base64. The first encrypts, all decrypt; `npm start` makes one and keeps it in the data folder.',
    ),
  ROLLCALL_DATA_DIR: text.default('.rollcall').describe('Folder in which `npm start` keeps its databases and keys.'),
  MIN_FREE_DISK_BYTES: z.coerce
    .number('a whole number')
    .int('a whole number')
    .min(0, 'a whole number')
    .default(536_870_912)
    .describe(
      'Free bytes on the disk of the data folder below which changes get 503 and /health/ready says so; 0 accepts changes until the disk is full.',
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'fatal, error, warn, info, debug, trace or silent')
    .default('info')
    .describe('Least severe log line to write.'),
  LOG_FORMAT: z
    .enum(['json', 'text'], 'json or text')
    .optional()
    .describe('Format of log lines: json or text; default: text on a terminal, json elsewhere.'),
};
