import type { DirectoryWithHealth, ExportedDelivery, ExportedItem, User } from '../../../client/generated/types.ts';
import { deliveryStatuses, eventName, statusTone } from '../../parts/records.ts';
import { countOf, type Tone } from '../../parts/words.ts';

type Happening = Exclude<ExportedItem, { kind: 'user' | 'membership' }>;

export interface TimelineItem {
  key: string;
  at: string;
  tone: Tone;
  title: string;
  /** What went wrong. */
  problem: string | undefined;
  about: string;
  item: Happening;
}

const deliveryWording = (delivery: ExportedDelivery) =>
  (deliveryStatuses as Record<string, { word: string; tone: Tone }>)[delivery.status] ?? { word: delivery.status, tone: 'off' as const };

type ItemOf<Kind extends ExportedItem['kind']> = Extract<ExportedItem, { kind: Kind }>;
const ofKind = <Kind extends ExportedItem['kind']>(items: ExportedItem[], kind: Kind) =>
  items.filter((item): item is ItemOf<Kind> => item.kind === kind);

const carries = ({ from_sequence: from, to_sequence: to }: ExportedDelivery, sequence: number) => from <= sequence && sequence <= to;

/** Says which of the user's events a delivery has, also if its body was deleted. */
function describeEvents(delivery: ExportedDelivery, events: ItemOf<'event'>['event'][]): string {
  const sent = (delivery.payloads as { event?: string }[]).map(({ event }) => event ?? '');
  const names = [...sent, ...events.filter(({ sequence }) => carries(delivery, sequence)).map(({ event }) => event)].map(eventName);
  return names.length === 0 ? countOf(delivery.event_count, 'event') : [...new Set(names)].join(', ');
}

/** What went wrong with the last attempt. */
function describeFailure({ attempts }: ExportedDelivery): string | undefined {
  const last = attempts.at(-1);
  if (!last || last.outcome === 'success' || last.outcome === 'in_flight') return undefined;
  return last.status_code === null ? `No response: ${last.outcome}` : `The receiver responded with ${last.status_code}`;
}

function toTimelineItem(item: Happening, events: ItemOf<'event'>['event'][]): TimelineItem {
  switch (item.kind) {
    case 'request': {
      const { id, at, method, path, status, detail } = item;
      const problem = status < 400 ? undefined : (detail ?? undefined);
      return { key: id, at, tone: statusTone(status), title: `Request: ${method} ${path}`, problem, about: `Status ${status}`, item };
    }
    case 'event': {
      const { id, occurred_at: at, event, sequence, data } = item.event;
      const group = data && 'group' in data ? ` ${data.group.name}` : '';
      return {
        key: id,
        at,
        tone: 'off',
        title: `Event: ${eventName(event)}${group}`,
        problem: undefined,
        about: `Sequence ${sequence.toLocaleString()}`,
        item,
      };
    }
    case 'delivery': {
      const { word, tone } = deliveryWording(item);
      const last = item.attempts.at(-1);
      return {
        key: item.id,
        at: last?.started_at ?? item.created_at ?? '',
        tone,
        title: `Delivery: ${word}`,
        problem: describeFailure(item),
        about: `${describeEvents(item, events)}; ${countOf(item.attempts.length, 'attempt')}`,
        item,
      };
    }
  }
}

/** Newest first. */
export function toTimeline(items: ExportedItem[]): TimelineItem[] {
  const events = ofKind(items, 'event').map(({ event }) => event);
  return items
    .flatMap((item) => (item.kind === 'user' || item.kind === 'membership' ? [] : [toTimelineItem(item, events)]))
    .toSorted((first, second) => (first.at < second.at ? 1 : -1));
}

interface Finding {
  tone: Tone;
  text: string;
}

/** Why somebody may be missing in the application, as far as it can be seen here. */
export function findReasons(directory: DirectoryWithHealth, user: User | 'none' | undefined, items: ExportedItem[]): Finding[] {
  const findings: Finding[] = [];
  const { webhook, health, deactivated } = directory;
  const requests = ofKind(items, 'request').toSorted((first, second) => (first.at < second.at ? 1 : -1));
  const [newest] = ofKind(items, 'event').toSorted((first, second) => second.event.sequence - first.event.sequence);
  if (deactivated) findings.push({ tone: 'bad', text: 'The directory is deactivated: requests of the identity provider fail.' });
  if (user === 'none')
    findings.push({ tone: 'bad', text: 'There is no such user: the identity provider has not sent it, or has deleted it.' });
  if (typeof user === 'object' && user.state === 'inactive')
    findings.push({ tone: 'wait', text: 'The identity provider has deactivated the user.' });
  const request = requests.find(({ method }) => method !== 'GET');
  if (request && request.status >= 400)
    findings.push({
      tone: 'bad',
      text: `The last change that the identity provider sent failed with ${request.status}${request.detail === null ? '.' : `: ${request.detail}`}`,
    });
  if (!newest) return findings;
  const deliveries = ofKind(items, 'delivery').filter((delivery) => carries(delivery, newest.event.sequence));
  // One that was split has others for the same events.
  const carrying =
    deliveries.find(({ status }) => status === 'delivered') ?? deliveries.find(({ status }) => status !== 'split') ?? deliveries[0];
  const name = eventName(newest.event.event);
  if (webhook.endpoint === '') findings.push({ tone: 'off', text: 'The directory has no webhook: your application fetches the events.' });
  else if (carrying?.status === 'delivered')
    findings.push({ tone: 'good', text: `Your application has acknowledged the newest event (${name}).` });
  else if (carrying)
    findings.push({
      tone: carrying.status === 'pending' && describeFailure(carrying) !== undefined ? 'bad' : deliveryWording(carrying).tone,
      text: `Your application has not acknowledged the newest event (${name}).`,
    });
  else if (health.delivery.backlog > 0)
    findings.push({
      tone: health.delivery.status === 'active' ? 'wait' : 'bad',
      text: `${countOf(health.delivery.backlog, 'event')} of the directory ${health.delivery.backlog === 1 ? 'waits' : 'wait'} for delivery, which is ${health.delivery.status}.`,
    });
  return findings;
}
