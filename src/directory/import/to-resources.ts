import { ScimError } from '../../scim/errors.ts';
import { newGroup, readGroup } from '../../scim/group.ts';
import type { JsonObject } from '../../scim/json.ts';
import { comparePushed, sizeOfDocuments, withoutMembers, withoutPasswords, type Pushed } from '../../scim/pushed.ts';
import type { ResourceType } from '../../scim/schema/attribute.ts';
import { checkSize } from '../../scim/resource/size-limits.ts';
import { groupType, userType } from '../../scim/schema/resource-types.ts';
import { newUser, readUser } from '../../scim/user.ts';
import { toGivenIds, toIdentified } from '../resources/resource-ids.ts';
import { toUserProfile } from '../resources/user.ts';
import { checksumOf } from './checksum.ts';
import type { PolisGroup, PolisUser } from './polis-records.ts';
import type { ImportedGroup, ImportedUser, ProviderRecords } from './ports.ts';

interface Mapping {
  /** Set for pulled directories. */
  provider: ProviderRecords | undefined;
  /** Called for a resource with attributes that are not as SCIM describes them. */
  onIncomplete(): void;
}

/** The columns follow from the document as for a push. What applications are shown is what Polis showed them. */
export function toImportedUser(record: PolisUser, { provider, onIncomplete }: Mapping): ImportedUser {
  const { id, firstName, lastName, active, raw } = record;
  checkSize({ raw, email: record.email, firstName, lastName }, userType.name);
  const userName = typeof raw['userName'] === 'string' && raw['userName'].trim() !== '' ? raw['userName'] : record.email || id;
  const email = record.email || userName;
  const read =
    provider?.toUser(raw) ?? readValid((body) => readUser(body), { ...raw, userName, active }, { userName, active }, onIncomplete);
  const resource = { ...read, active };
  const user = { ...toIds(record), ...newUser(resource), ...toTimes(record) };
  const shown = differences(toUserProfile(user), { email, first_name: firstName, last_name: lastName });
  const pushed = toPushed({ resource, raw, type: userType, shown });
  return {
    user: { ...user, pushed },
    bytes: sizeOfDocuments({ resource, pushed }).bytes,
    checksum: checksumOf(id, email, String(active)),
  };
}

export function toImportedGroup(record: PolisGroup, { provider, onIncomplete }: Mapping): ImportedGroup {
  const { id, name } = record;
  const raw = withoutMembers(record.raw, groupType);
  checkSize(raw, groupType.name);
  const displayName = name.trim() === '' ? id : name;
  const read =
    provider?.toGroup(raw) ?? readValid((body) => readGroup(body).resource, { ...raw, displayName }, { displayName }, onIncomplete);
  const resource = { ...read, displayName };
  const pushed = toPushed({ resource, raw, type: groupType });
  return {
    // The names of pulled groups are not unique.
    group: { ...toIds(record), ...newGroup(resource), allowDuplicateName: provider !== undefined, ...toTimes(record), pushed },
    bytes: sizeOfDocuments({ resource, pushed }).bytes,
  };
}

const toIds = ({ id }: { id: string }) => toIdentified(toGivenIds(id));

const toTimes = ({ createdAt, modifiedAt }: { createdAt: Date; modifiedAt: Date | undefined }) => ({
  version: 1,
  createdAt,
  updatedAt: modifiedAt ?? createdAt,
});

interface Compared {
  resource: JsonObject;
  raw: JsonObject;
  type: ResourceType;
  shown?: Pushed['shown'];
}

function toPushed({ resource, raw, type, shown }: Compared): Pushed | undefined {
  const { id: _, ...own } = withoutPasswords(withoutMembers(raw, type)) as JsonObject;
  const pushed = comparePushed(resource, own);
  return shown ? { ...pushed, shown } : pushed;
}

function differences(profile: Required<NonNullable<Pushed['shown']>>, shown: Required<NonNullable<Pushed['shown']>>): Pushed['shown'] {
  const names = (Object.keys(shown) as (keyof typeof shown)[]).filter((name) => shown[name] !== profile[name]);
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, shown[name]]));
}

/** Polis validates nothing. An attribute that no push could set here is left out of what SCIM and filters see. */
function readValid(read: (body: JsonObject) => JsonObject, body: JsonObject, required: JsonObject, onIncomplete: () => void): JsonObject {
  const readable = tryToRead(read, body);
  if (readable) return readable;
  onIncomplete();
  const valid = Object.entries(body)
    .slice(0, maxAttributes)
    .filter(([name, value]) => tryToRead(read, { ...required, [name]: value }));
  let readsLeft = maxReads;
  return read(keepReadable(required, valid));

  /** Leaves out what is valid only without the others, such as a second spelling of a name. */
  function keepReadable(kept: JsonObject, attributes: [string, unknown][]): JsonObject {
    if (attributes.length === 0 || readsLeft === 0) return kept;
    readsLeft -= 1;
    const wider = { ...kept, ...Object.fromEntries(attributes) };
    if (tryToRead(read, wider)) return wider;
    if (attributes.length === 1) return kept;
    const half = attributes.length >> 1;
    return keepReadable(keepReadable(kept, attributes.slice(0, half)), attributes.slice(half));
  }
}

/** No push may have more. */
const maxAttributes = 1_000;

/** Each may take 20 ms. After that, the rest is left out. */
const maxReads = 50;

function tryToRead(read: (body: JsonObject) => JsonObject, body: JsonObject): JsonObject | undefined {
  try {
    return read(body);
  } catch (error) {
    if (error instanceof ScimError) return undefined;
    throw error;
  }
}
