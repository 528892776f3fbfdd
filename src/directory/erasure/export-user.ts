import type { DirectoryEvent } from '../event.ts';
import type { RecordedRequest } from '../recorded-requests/recorded-request.ts';
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
  /** The sequence of an event, or the time of a delivery in microseconds. */
  number?: number | undefined;
  id?: string | undefined;
}

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

interface ExportedDelivery {
  id: string;
  status: string;
  /** May contain events about other people. */
  body: string;
  createdAt: Date;
  doneAt: Date | undefined;
  attempts: { number: number; at: string; outcome: string; status: number | null; response: string | null }[];
}

/** A page may be empty although more follow. */
interface ExportPart<Item, Position> {
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
  /** Without `after`, it begins with the first event of the order. */
  listEvents(person: Person, after: number | undefined, order: ExportOrder): Promise<ExportPart<DirectoryEvent, number>>;
  listDeliveries(
    person: Person,
    after: { at: number; id: string } | undefined,
    order: ExportOrder,
  ): Promise<ExportPart<ExportedDelivery, { at: number; id: string }>>;
}

interface ExportUserDeps {
  store: PersonExportStore;
  /** Undefined if the user was deleted. */
  getUser(person: Person): Promise<ExportedUser | undefined>;
  listRequests(directoryId: string): Promise<RecordedRequest[]>;
}

/** Reads one page of an export. */
export function createExportUser({ store, getUser, listRequests }: ExportUserDeps) {
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
        const { items, next } = await store.listEvents(person, position.number, order);
        return { items: items.map((event) => ({ kind: 'event', event })), next: next === undefined ? end : { section, number: next } };
      }
      case 'deliveries': {
        const { items, next } = await store.listDeliveries(
          person,
          position.number === undefined ? undefined : { at: position.number, id: position.id ?? '' },
          order,
        );
        return {
          items: items.map((item) => ({ ...item, kind: 'delivery' })),
          next: next === undefined ? end : { section, number: next.at, id: next.id },
        };
      }
      case 'requests': {
        // Former names of a user may belong to another user now.
        const named = person.isUser ? person : await withFormerNames(person);
        const requests = await listRequests(person.directoryId);
        return {
          items: requests.flatMap((one) => {
            const request = redactRequest(one, named);
            return request ? [{ kind: 'request', request }] : [];
          }),
          next: undefined,
        };
      }
    }
  };

  async function withFormerNames(person: Person): Promise<Person> {
    const { values, externalIds } = await store.findTraces(person);
    return { ...person, values: [...person.values, ...values], externalIds: [...person.externalIds, ...externalIds] };
  }
}
