import type { DirectoryEvent } from '../event.ts';
import type { RecordedRequest } from '../recorded-requests/recorded-request.ts';
import { type FoundUserRequest, subjectOf, type UserRequestStore } from '../recorded-requests/user-requests.ts';
import type { DirectoryReader } from '../resources/directory-reader.ts';
import type { FormerNames, Person } from './find-person.ts';
import { redactRequest } from './redact-request.ts';

/** What is kept about a person, in the order in which it is exported. */
export const exportSections = ['user', 'memberships', 'events', 'deliveries', 'requests'] as const;

export const exportOrders = ['asc', 'desc'] as const;
/** The order of events and deliveries. */
export type ExportOrder = (typeof exportOrders)[number];

export interface ExportChoice {
  /** Exports only this section. */
  only?: ExportPosition['section'] | undefined;
  order: ExportOrder;
}

/** Where an export continues: in this section, after this item. */
export interface ExportPosition {
  section: (typeof exportSections)[number];
  /** Of events and deliveries. Cursors of the previous release have none, and continue a search. */
  part?: EventPosition['part'] | undefined;
  /** The sequence of an event, or the time of a delivery in microseconds. */
  number?: number | undefined;
  id?: string | undefined;
}

/**
 * Events and deliveries are exported in two parts: those that are known to be about the user, which an index finds, and those whose bodies must be
 * searched. These are mostly older.
 */
export interface EventPosition {
  /** `all`: everything is searched, for a cursor of the previous release. */
  part: 'own' | 'searched' | 'all';
  number?: number | undefined;
  id?: string | undefined;
}
const partsIn = { asc: ['searched', 'own'], desc: ['own', 'searched'] } as const;

export type ExportedUser = Awaited<ReturnType<DirectoryReader['getUser']>>;

export type ExportedItem =
  | { kind: 'user'; user: ExportedUser }
  | ({ kind: 'membership' } & ExportedMembership)
  | { kind: 'event'; event: DirectoryEvent }
  | ({ kind: 'delivery' } & ExportedDelivery)
  | { kind: 'request'; request: RecordedRequest };

interface ExportedMembership {
  group: { id: string; name: string };
  display: string | null;
  /** Whether the person is a pending member of the group. */
  pending: boolean;
}

export interface ExportedDelivery {
  id: string;
  status: string;
  fromSequence: number;
  toSequence: number;
  eventCount: number;
  /** May contain events about other people. Undefined if it is not kept. */
  body: string | undefined;
  createdAt: Date;
  doneAt: Date | undefined;
  attempts: { number: number; at: string; outcome: string; status: number | null; response: string | null }[];
}

/** A page may be empty although more follow. */
export interface ExportPart<Item, Position> {
  items: Item[];
  next: Position | undefined;
}

/** What a limited search found about a person in the events and deliveries of a directory. */
export interface Traces extends FormerNames {
  /** `unread`: nothing was found, but not everything was read. */
  found: 'some' | 'none' | 'unread';
}

export interface PersonExportStore {
  findTraces(person: Person): Promise<Traces>;
  listMemberships(person: Person, after: string | undefined): Promise<ExportPart<ExportedMembership, string>>;
  /** The positions that these return are within the part. */
  listEvents(person: Person, position: EventPosition, order: ExportOrder): Promise<ExportPart<DirectoryEvent, WithinPart>>;
  listDeliveries(person: Person, position: EventPosition, order: ExportOrder): Promise<ExportPart<ExportedDelivery, WithinPart>>;
}
type WithinPart = Omit<EventPosition, 'part'>;

const requestsPerPage = 100;
const maxSubjects = 200;

const subjectsOf = ({ userId, publicId, values, externalIds }: Person): string[] =>
  [...new Set([userId, publicId, ...values, ...externalIds].map(subjectOf))].slice(0, maxSubjects);

/** A request that concerns only the person says nothing of others in its address and error. */
const withoutOthers = (request: FoundUserRequest, person: Person): RecordedRequest => ({
  ...request,
  body: request.isShared ? undefined : redactRequest(request, person)?.body,
});

/** A cursor of the previous release has no part. */
const toEventPosition = ({ part, number, id }: ExportPosition, order: ExportOrder): EventPosition => ({
  part: part ?? (number === undefined ? partsIn[order][0] : 'all'),
  number,
  id,
});

/** Where events or deliveries continue: in their part, or at the beginning of the next one. */
function nextInParts(position: ExportPosition, next: WithinPart | undefined, order: ExportOrder): ExportPosition | undefined {
  const { section } = position;
  const { part } = toEventPosition(position, order);
  if (next) return { section, part, ...next };
  const [first, second] = partsIn[order];
  return part === first ? { section, part: second } : undefined;
}

/** Reads a page of a part, or of the next one if nothing is left of it. */
async function readInParts<Item>(
  position: ExportPosition,
  order: ExportOrder,
  list: (at: EventPosition) => Promise<ExportPart<Item, WithinPart>>,
): Promise<ExportPart<Item, ExportPosition>> {
  const { items, next: within } = await list(toEventPosition(position, order));
  const next = nextInParts(position, within, order);
  return items.length === 0 && !within && next ? readInParts(next, order, list) : { items, next };
}

interface ExportUserDeps {
  store: PersonExportStore;
  /** Undefined if the user was deleted. */
  getUser(person: Person): Promise<ExportedUser | undefined>;
  /** The last requests of the directory. */
  listRequests(directoryId: string): Promise<RecordedRequest[]>;
  /** The requests that were noted for a user, newest first. */
  listForUser: UserRequestStore['listForUser'];
}

/** Reads one page of an export. */
export function createExportUser({ store, getUser, listRequests, listForUser }: ExportUserDeps) {
  return async function exportUser(
    person: Person,
    { only, order }: ExportChoice,
    position: ExportPosition = { section: only ?? 'user' },
  ): Promise<{ items: ExportedItem[]; next: ExportPosition | undefined }> {
    const { section } = position;
    const nextSection = only === undefined ? exportSections[exportSections.indexOf(section) + 1] : undefined;
    const end = nextSection && { section: nextSection };
    switch (section) {
      case 'user': {
        const user = await getUser(person);
        return { items: user === undefined ? [] : [{ kind: section, user }], next: end };
      }
      case 'memberships': {
        const { items, next } = await store.listMemberships(await withFormerNames(person), position.id);
        return { items: items.map((item) => ({ ...item, kind: 'membership' })), next: next === undefined ? end : { section, id: next } };
      }
      case 'events': {
        const { items, next } = await readInParts(position, order, (at) => store.listEvents(person, at, order));
        return { items: items.map((event) => ({ kind: 'event', event })), next: next ?? end };
      }
      case 'deliveries': {
        const { items, next } = await readInParts(position, order, (at) => store.listDeliveries(person, at, order));
        return { items: items.map((item) => ({ ...item, kind: 'delivery' })), next: next ?? end };
      }
      case 'requests': {
        // Former names of a user may belong to another user now.
        const named = person.isUser ? person : await withFormerNames(person);
        const { items, next } = await listRequestsOf(named, position.id);
        return { items: items.map((request) => ({ kind: 'request', request })), next: next === undefined ? end : { section, id: next } };
      }
    }
  };

  /**
   * The first page also has what the last requests of the directory say about the person elsewhere, as of a manager, and what
   * was recorded before requests were noted for users.
   */
  async function listRequestsOf(person: Person, after: string | undefined): Promise<ExportPart<RecordedRequest, string>> {
    const { directoryId } = person;
    const page = after === undefined ? { offset: 0, limit: requestsPerPage } : { after, limit: requestsPerPage };
    const { resources, next } = await listForUser(directoryId, subjectsOf(person), page);
    const noted = new Map(resources.map((request) => [request.id, withoutOthers(request, person)]));
    if (after !== undefined) return { items: [...noted.values()], next };
    const last = (await listRequests(directoryId)).flatMap((one) => (noted.has(one.id) ? [] : (redactRequest(one, person) ?? [])));
    return { items: [...noted.values(), ...last].toSorted((one, other) => (one.id < other.id ? 1 : -1)), next };
  }

  async function withFormerNames(person: Person): Promise<Person> {
    const { values, externalIds } = await store.findTraces(person);
    return { ...person, values: [...person.values, ...values], externalIds: [...person.externalIds, ...externalIds] };
  }
}
