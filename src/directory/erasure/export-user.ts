import type { DirectoryEvent } from '../event.ts';
import type { RecordedRequest } from '../recorded-requests/recorded-request.ts';
import type { DirectoryReader } from '../resources/directory-reader.ts';
import type { FormerNames, Person } from './find-person.ts';
import { toOwnRequest } from './own-request.ts';

/** What is kept about a person, in the order in which it is exported. */
export const exportSections = ['user', 'memberships', 'events', 'deliveries', 'requests'] as const;

export const exportOrders = ['asc', 'desc'] as const;
/** Of events and deliveries. */
export type ExportOrder = (typeof exportOrders)[number];

export interface ExportChoice {
  /** Without the other sections. */
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
  /** The group waits for the person. */
  pending: boolean;
}

interface ExportedDelivery {
  id: string;
  status: string;
  /** May contain events of others. */
  body: string;
  createdAt: Date;
  doneAt: Date | undefined;
  attempts: { number: number; at: string; outcome: string; status: number | null; response: string | null }[];
}

/** A page may be empty although more follow. */
interface Part<Item, Position> {
  items: Item[];
  next: Position | undefined;
}

/** What is left of a person in a limited part of what the directory keeps. */
export interface Traces extends FormerNames {
  /** `unread`: there is more than was read. */
  found: 'some' | 'none' | 'unread';
}

export interface PersonExportStore {
  traces(person: Person): Promise<Traces>;
  memberships(person: Person, after: string | undefined): Promise<Part<ExportedMembership, string>>;
  /** Without `after`, from the first in the order. */
  events(person: Person, after: number | undefined, order: ExportOrder): Promise<Part<DirectoryEvent, number>>;
  deliveries(
    person: Person,
    after: { at: number; id: string } | undefined,
    order: ExportOrder,
  ): Promise<Part<ExportedDelivery, { at: number; id: string }>>;
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
    const following = only === undefined ? exportSections[exportSections.indexOf(section) + 1] : undefined;
    const end = following && { section: following };
    switch (section) {
      case 'user': {
        const user = await getUser(person);
        return { items: user === undefined ? [] : [{ kind: section, user }], next: end };
      }
      case 'memberships': {
        const { items, next } = await store.memberships(await withFormerNames(person), position.id);
        return { items: items.map((item) => ({ ...item, kind: 'membership' })), next: next === undefined ? end : { section, id: next } };
      }
      case 'events': {
        const { items, next } = await store.events(person, position.number, order);
        return { items: items.map((event) => ({ kind: 'event', event })), next: next === undefined ? end : { section, number: next } };
      }
      case 'deliveries': {
        const { items, next } = await store.deliveries(
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
        // The names that a user had may be another's now.
        const named = person.isUser ? person : await withFormerNames(person);
        const requests = await listRequests(person.directoryId);
        return {
          items: requests.flatMap((one) => {
            const request = toOwnRequest(one, named);
            return request ? [{ kind: 'request', request }] : [];
          }),
          next: undefined,
        };
      }
    }
  };

  async function withFormerNames(person: Person): Promise<Person> {
    const { values, externalIds } = await store.traces(person);
    return { ...person, values: [...person.values, ...values], externalIds: [...person.externalIds, ...externalIds] };
  }
}
