import { ScimError } from '../../scim/errors.ts';
import { newGroup, readGroup } from '../../scim/group.ts';
import type { JsonObject } from '../../scim/json.ts';
import { sizeOf } from '../../scim/resource/size-limits.ts';
import { newUser, readUser } from '../../scim/user.ts';
import { checksumOf } from './checksum.ts';
import type { PolisGroup, PolisUser } from './polis-records.ts';
import type { ImportedGroup, ImportedUser } from './ports.ts';

/** Reads users and groups of a provider that is pulled, as a sync stores them; undefined if they are not what the provider sends. */
export interface ProviderRecords {
  toUser(raw: JsonObject): JsonObject | undefined;
  toGroup(raw: JsonObject): JsonObject | undefined;
}

interface Mapping {
  /** Set for pulled directories. */
  provider: ProviderRecords | undefined;
  /** Called for a resource with attributes that are not as SCIM describes them. */
  onIncomplete(): void;
}

/** The columns follow from the document as for a push. The profile is kept as Polis shows it. */
export function toImportedUser(record: PolisUser, { provider, onIncomplete }: Mapping): ImportedUser {
  const { id, email, firstName, lastName, active, raw } = record;
  const userName = typeof raw['userName'] === 'string' && raw['userName'].trim() !== '' ? raw['userName'] : email || id;
  const resource =
    provider?.toUser(raw) ?? readValid((body) => readUser(body), { ...raw, userName, active }, { userName, active }, onIncomplete);
  return {
    user: { id, ...newUser({ ...resource, active }), version: 1, createdAt: record.createdAt, updatedAt: record.modifiedAt ?? record.createdAt },
    profile: { first_name: firstName, last_name: lastName, email: email || userName },
    bytes: sizeOf(resource).bytes,
    checksum: checksumOf(id, email || userName, String(active)),
  };
}

export function toImportedGroup(record: PolisGroup, { provider, onIncomplete }: Mapping): ImportedGroup {
  const { id, name, raw } = record;
  const { members: _members, ...own } = raw;
  const displayName = name.trim() === '' ? id : name;
  const resource =
    provider?.toGroup(own) ??
    readValid((body) => readGroup(body).resource, { ...own, displayName }, { displayName }, onIncomplete);
  return {
    // Polis allows groups of the same name.
    group: {
      id,
      ...newGroup(resource),
      allowDuplicateName: provider !== undefined,
      version: 1,
      createdAt: record.createdAt,
      updatedAt: record.modifiedAt ?? record.createdAt,
    },
    bytes: sizeOf(resource).bytes,
  };
}

/** Polis validates nothing. An attribute that no push could set here is left out of what SCIM and filters see. */
function readValid(read: (body: JsonObject) => JsonObject, body: JsonObject, required: JsonObject, onIncomplete: () => void): JsonObject {
  const readable = tryToRead(read, body);
  if (readable) return readable;
  onIncomplete();
  let kept = required;
  for (const [name, value] of Object.entries(body)) {
    const wider = { ...kept, [name]: value };
    if (tryToRead(read, wider)) kept = wider;
  }
  return read(kept);
}

function tryToRead(read: (body: JsonObject) => JsonObject, body: JsonObject): JsonObject | undefined {
  try {
    return read(body);
  } catch (error) {
    if (error instanceof ScimError) return undefined;
    throw error;
  }
}
