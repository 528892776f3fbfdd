// Reads from Rollcall what webhooks do not bring: everything at first, and missed events later.
import { applyEvent, replaceAll, saveCursor } from './tables.mjs';

export function createSync({ rollcallUrl, apiKey, directoryId, tables }) {
  const directory = `/api/v1/directory-sync/${directoryId}`;

  async function get(path, query = {}) {
    const response = await fetch(`${rollcallUrl}${path}?${new URLSearchParams(query)}`, {
      headers: { authorization: `Api-Key ${apiKey}` },
    });
    const body = await response.json();
    if (!response.ok) throw Object.assign(new Error(`GET ${path}: ${body.error.message}`), { status: response.status });
    return body;
  }

  async function list(path, query = {}) {
    const limit = 200;
    const items = [];
    for (;;) {
      const { data } = await get(path, { directory_id: directoryId, ...query, limit, offset: items.length });
      items.push(...data);
      if (data.length < limit) return items;
    }
  }

  async function readGroupMembers({ id }) {
    try {
      const users = await list(`/api/v1/directory-sync/groups/${id}/members`);
      return users.map(({ user_id }) => ({ group_id: id, user_id }));
    } catch (error) {
      if (error.status === 404) return []; // Deleted while it was read: the loop below starts again.
      throw error;
    }
  }

  /** Loads all users, groups and members, and then the events that came while it was loading. */
  async function load() {
    for (;;) {
      // The order matters: everything up to last_sequence is in what is read afterwards.
      const { list_metadata: head } = await get('/api/v1/events', { directory_id: directoryId, order: 'desc', limit: 1 });
      const { last_sequence: sequence } = (await get(`${directory}/delivery`)).data;
      const users = await list('/api/v1/directory-sync/users');
      const groups = await list('/api/v1/directory-sync/groups');
      const members = [];
      for (const group of groups) members.push(...(await readGroupMembers(group)));

      // A removal moves later items to an earlier page, where they are missed. Then the load starts again.
      const removals = 'user.deleted,group.deleted,group.user_removed';
      const removed = await get('/api/v1/events', { directory_id: directoryId, after: head.after, events: removals, limit: 1 });
      if (removed.data.length > 0 || removed.list_metadata.has_more) continue;

      await tables.transaction((client) => replaceAll(client, { directoryId, sequence, cursor: head.after, users, groups, members }));
      console.log(`loaded ${users.length} users and ${groups.length} groups, up to event ${sequence}`);
      return catchUp();
    }
  }

  /** Applies the events of the feed since the last time. If they are no longer kept, everything is loaded again. */
  async function catchUp() {
    const progress = await tables.readProgress(directoryId);
    if (!progress) return load();
    for (let { cursor } = progress, hasMore = true; hasMore;) {
      const page = await get('/api/v1/events', { directory_id: directoryId, after: cursor, limit: 500 }).catch((error) => {
        if (error.status === 410) return undefined;
        throw error;
      });
      const isGone = ({ data, sequence }) => data === null && sequence > progress.sequence;
      if (page === undefined || page.data.some(isGone)) return load();

      ({ after: cursor, has_more: hasMore } = page.list_metadata);
      await tables.transaction(async (client) => {
        for (const event of page.data) if (event.data !== null) await applyEvent(client, event);
        await saveCursor(client, directoryId, { cursor, sequence: page.data.at(-1)?.sequence ?? 0 });
      });
    }
    console.log('caught up');
  }

  return { load, catchUp };
}
