import { useEffect, useRef, useState } from 'preact/hooks';
import type { ExportedItem } from '../../../client/generated/types.ts';
import type { ClientError } from '../../../client/result.ts';
import { api, goToSignIn, isSignedOut } from '../../api.ts';

const kinds = ['requests', 'events', 'deliveries'] as const;
type Kind = (typeof kinds)[number];

/** Each page is a limited part of the directory's history, which need not have anything of the user. */
const pagesPerTurn = 5;
const enough = 20;

interface State {
  items: ExportedItem[];
  /** Where each kind continues; a kind that is read whole is absent. */
  next: Partial<Record<Kind, string>>;
  isReading: boolean;
  error: ClientError | undefined;
}

/** What happened to a user, newest first: each kind is read back until there is something to show. */
export function useTimeline(directoryId: string, userId: string) {
  const [state, setState] = useState<State>({ items: [], next: {}, isReading: true, error: undefined });
  const controller = useRef(new AbortController());

  const read = async (from: Partial<Record<Kind, string>>, of: readonly Kind[], former: ExportedItem[]) => {
    const { signal } = controller.current;
    setState({ items: former, next: from, isReading: true, error: undefined });
    const results = await Promise.all(of.map((only) => readBack(directoryId, userId, only, from[only], signal)));
    if (signal.aborted) return;
    const error = results.find((result) => result.error)?.error;
    if (isSignedOut(error)) return goToSignIn();
    const next = Object.fromEntries(
      of.flatMap((kind, index) => (results[index]!.next === undefined ? [] : [[kind, results[index]!.next]])),
    );
    setState({ items: [...former, ...results.flatMap(({ items }) => items)], next, isReading: false, error });
  };

  useEffect(() => {
    controller.current = new AbortController();
    void read({}, kinds, []);
    return () => controller.current.abort();
  }, [directoryId, userId]);

  const unread = kinds.filter((kind) => state.next[kind] !== undefined);
  return {
    ...state,
    hasMore: unread.length > 0,
    readFurther: () => void read(state.next, unread, state.items),
    reload: () => void read({}, kinds, []),
  };
}

async function readBack(directoryId: string, userId: string, only: Kind, from: string | undefined, signal: AbortSignal) {
  const items: ExportedItem[] = [];
  let next = from;
  for (let page = 0; page < pagesPerTurn && items.length < enough; page += 1) {
    const result = await api.users.export(
      directoryId,
      userId,
      { only, order: 'desc', ...(next !== undefined && { cursor: next }) },
      { signal },
    );
    // Nothing is known to be kept of somebody who was never here.
    if (result.error !== null) return { items, next, error: result.error };
    items.push(...result.data);
    next = result.next_cursor ?? undefined;
    if (next === undefined) break;
  }
  return { items, next, error: undefined };
}
