import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../../scim/json.ts';
import { isCleanText } from '../../scim/text.ts';
import { defaultName, directoryTypes, newConnection, type NewDirectory } from '../directories/directory.ts';
import { formerDirectoryId, toDirectoryKey } from '../directories/former-ids.ts';
import { isId } from '../../ids.ts';
import { eventTypes, type EventType } from '../event.ts';
import { checkSize, sizeOf } from '../../scim/resource/size-limits.ts';

/** The newest version of Polis that is read. */
export const newestPolis = '26.2';

/** A row of Polis. `problem` says why its value cannot be read. */
export type PolisRow = { key: string; createdAt: Date; modifiedAt: Date | undefined } & ({ value: unknown } | { problem: string });

/** A directory of Polis, as it will be stored. */
export interface PolisDirectory extends NewDirectory {
  /** Its ID in Polis, under which callers know it. */
  polisId: string;
  createdAt: Date;
  modifiedAt: Date | undefined;
  /** What was left out. */
  warnings: string[];
}

interface PolisResource {
  id: string;
  raw: JsonObject;
  createdAt: Date;
  modifiedAt: Date | undefined;
}

export interface PolisUser extends PolisResource {
  email: string;
  firstName: string;
  lastName: string;
  active: boolean;
}

export interface PolisGroup extends PolisResource {
  name: string;
}

/** A row that cannot be read. Its key has no personal data. */
export class UnreadableRowError extends Error {
  override readonly name = 'UnreadableRowError';
  readonly key: string;
  readonly problem: string;

  constructor(key: string, problem: string) {
    super(`The row ${key} cannot be read: ${problem}.`);
    this.key = key;
    this.problem = problem;
  }
}

/** The hash in Polis' keys. */
export const polisHash = (text: string): string => createHash('ripemd160').update(text).digest('hex');

/** Checks that Postgres can store the row. Names are as JavaScript reads them. */
function readObject(row: PolisRow): JsonObject {
  if ('problem' in row) throw new UnreadableRowError(row.key, row.problem);
  if (!isObject(row.value)) throw new UnreadableRowError(row.key, 'its value is not a JSON object');
  const problem = findUnstorable(row.value, 0);
  if (problem !== undefined) throw new UnreadableRowError(row.key, problem);
  if (![row.createdAt, row.modifiedAt].every(isStorableTime)) throw new UnreadableRowError(row.key, 'its time is not valid');
  return row.value;
}

/** Deeper JSON overflows the stack of those who read it. */
const maxDepth = 1_000;

function findUnstorable(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return isCleanText(value) ? undefined : unstorableCharacter;
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === maxDepth) return `its value is nested deeper than ${maxDepth} levels`;
  if (!Array.isArray(value) && !Object.keys(value).every(isCleanText)) return unstorableCharacter;
  for (const inner of Object.values(value)) {
    const problem = findUnstorable(inner, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
const unstorableCharacter = 'its value has a character that Postgres cannot store';

/** Postgres has "infinity", and years that no text in ISO 8601 has. */
const isStorableTime = (time: Date | undefined): boolean =>
  time === undefined || (time instanceof Date && time.getUTCFullYear() > 0 && time.getUTCFullYear() < 10_000);

function readText(row: PolisRow, value: JsonObject, name: string): string {
  const text = value[name];
  if (typeof text !== 'string' || text === '') throw new UnreadableRowError(row.key, `it has no ${name}`);
  return text;
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : '');
/** Polis compares with true and "true", except that a missing value is the default. */
const toFlag = (value: unknown, byDefault: boolean): boolean =>
  typeof value === 'string' ? value.toLowerCase() !== 'false' && value !== '' : typeof value === 'boolean' ? value : byDefault;

/** A list of directories has all of it. */
const maxDirectoryText = 16_384;
const googleFields = ['google_access_token', 'google_refresh_token', 'google_domain'];

export function readDirectory(row: PolisRow): PolisDirectory {
  const value = readObject(row);
  const type = directoryTypes.find((one) => one === value['type']);
  if (!type) throw new UnreadableRowError(row.key, 'its type is unknown');
  const polisId = readText(row, value, 'id');
  const owner = { tenant: readText(row, value, 'tenant'), product: readText(row, value, 'product') };
  if (!isId(polisId) && polisId !== formerDirectoryId(owner)) throw new UnreadableRowError(row.key, 'its ID is not one of Polis');
  const isPulled = type === 'google';
  const [scim, webhook] = [value['scim'], value['webhook']].map((part) => (isObject(part) ? part : {})) as [JsonObject, JsonObject];
  const [url, secret] = [toText(webhook['endpoint']), toText(webhook['secret'])];
  const scimSecret = isPulled ? undefined : toText(scim['secret']) || undefined;
  const texts = [value['name'], owner.tenant, owner.product, url, secret, scimSecret, ...googleFields.map((name) => value[name])].map(
    toText,
  );
  if (texts.join('').length > maxDirectoryText)
    throw new UnreadableRowError(row.key, `its texts have more than ${maxDirectoryText} characters (fixed limit)`);
  return {
    id: toDirectoryKey(polisId),
    polisId,
    ...owner,
    name: toText(value['name']) || defaultName(owner),
    type,
    deactivated: toFlag(value['deactivated'], false),
    acceptsScimSecret: true,
    logWebhookEvents: toFlag(value['log_webhook_events'], false),
    userStateEvents: false,
    inactiveUsers: 'keep',
    onDirectoryDelete: 'silent',
    scimSecret,
    webhook: secret === '' ? undefined : { url: URL.canParse(url) ? url : undefined, secret },
    // Receivers verify the signatures of Polis.
    legacySignatures: true,
    connection: isPulled
      ? newConnection({
          accessToken: toText(value['google_access_token']),
          refreshToken: toText(value['google_refresh_token']),
          domain: toText(value['google_domain']),
        })
      : undefined,
    createdAt: row.createdAt,
    modifiedAt: row.modifiedAt,
    warnings: [
      ...(url !== '' && !URL.canParse(url) ? ['The address of the webhook was left out, because it is not a URL.'] : []),
      ...(url !== '' && URL.canParse(url) && secret === ''
        ? ['The webhook was left out, because it has no secret: Polis did not send it.']
        : []),
      ...(!isPulled && scimSecret === undefined ? ['The directory has no SCIM secret: set one before its provider can push.'] : []),
    ],
  };
}

export interface PolisSetupLink {
  tenant: string;
  product: string;
  name: string | undefined;
  token: string;
  webhookUrl: string;
  webhookSecret: string;
  createdAt: Date;
  expiresAt: Date;
}

/** Undefined for a link of single sign-on. */
export function readSetupLink(row: PolisRow): PolisSetupLink | undefined {
  const value = readObject(row);
  if (value['service'] !== 'dsync') return undefined;
  const texts = Object.fromEntries(setupLinkFields.map((name) => [name, readText(row, value, name)])) as Record<
    (typeof setupLinkFields)[number],
    string
  >;
  const name = toText(value['name']) || undefined;
  if ([...Object.values(texts), name ?? ''].join('').length > maxDirectoryText)
    throw new UnreadableRowError(row.key, `its texts have more than ${maxDirectoryText} characters (fixed limit)`);
  const token = /\/setup\/([0-9a-f]{48})$/.exec(texts.url)?.[1];
  if (token === undefined) throw new UnreadableRowError(row.key, 'its url is not the address of a setup link');
  if (!URL.canParse(texts.webhook_url)) throw new UnreadableRowError(row.key, 'its webhook_url is not a URL');
  const expiresAt = new Date(typeof value['validTill'] === 'number' ? value['validTill'] : NaN);
  if (!isStorableTime(expiresAt)) throw new UnreadableRowError(row.key, 'its validTill is not a time');
  const { tenant, product, webhook_url: webhookUrl, webhook_secret: webhookSecret } = texts;
  return { tenant, product, name, token, webhookUrl, webhookSecret, createdAt: row.createdAt, expiresAt };
}

const setupLinkFields = ['tenant', 'product', 'url', 'webhook_url', 'webhook_secret'] as const;

export function readUser(row: PolisRow): PolisUser {
  const value = readObject(row);
  return {
    ...readResource(row, value),
    email: toText(value['email']),
    firstName: toText(value['first_name']),
    lastName: toText(value['last_name']),
    active: toFlag(value['active'], true),
  };
}

export function readGroup(row: PolisRow): PolisGroup {
  const value = readObject(row);
  return { ...readResource(row, value), name: toText(value['name']) };
}

function readResource(row: PolisRow, value: JsonObject): PolisResource {
  const { raw } = value;
  return {
    id: readText(row, value, 'id'),
    raw: isObject(raw) ? raw : {},
    createdAt: row.createdAt,
    modifiedAt: row.modifiedAt,
  };
}

export function readMembership(row: PolisRow): { groupId: string; userId: string } {
  const value = readObject(row);
  return { groupId: readText(row, value, 'group_id'), userId: readText(row, value, 'user_id') };
}

export interface QueuedEvent {
  id: string;
  type: EventType;
  data: JsonObject;
  bytes: number;
  occurredAt: Date;
}

export function readQueuedEvent(row: PolisRow): QueuedEvent {
  const value = readObject(row);
  const { event } = value;
  if (!isObject(event)) throw new UnreadableRowError(row.key, 'it has no event');
  const type = eventTypes.find((one) => one === event['event']);
  if (!type) throw new UnreadableRowError(row.key, 'the type of its event is unknown');
  const id = readText(row, value, 'id');
  if (!isId(id)) throw new UnreadableRowError(row.key, 'its ID is not one of Polis');
  const data = isObject(event['data']) ? event['data'] : {};
  checkSize(data);
  return { id, type, data, bytes: sizeOf(data).bytes, occurredAt: row.createdAt };
}
