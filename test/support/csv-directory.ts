import { expect } from '@jest/globals';
import { toPulledDirectory } from './pulled-directories.ts';
import { createFollower, describeUser, type State, storedIn } from './pulled-state.ts';
import { apiKey, type TestService } from './service.ts';

type Place = Pick<TestService, 'baseUrl' | 'db'> & {
  apiKey?: string;
  api(method: string, path: string, body?: unknown): ReturnType<TestService['api']>;
};

/** The text or bytes of the files, by name. */
export type FileTexts = Record<string, string | Uint8Array>;

interface Uploaded {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

export const filesPath = (id: string) => `/api/v1/directory-sync/${id}/files`;

/** Lines of cells. */
const toCsv = (lines: (string | number | boolean)[][], separator = ',', end = '\n') =>
  lines.map((cells) => cells.join(separator) + end).join('');

export async function send(
  { baseUrl, apiKey: ownKey = apiKey }: Pick<Place, 'baseUrl' | 'apiKey'>,
  path: string,
  { body, type, key = ownKey, method = 'PUT' }: { body?: Blob | FormData; type?: string; key?: string; method?: string },
): Promise<Uploaded> {
  const request = () =>
    fetch(`${baseUrl}${path}`, {
      method,
      headers: { ...(key !== '' && { authorization: `Bearer ${key}` }), ...(type !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { body }),
    });
  // While the test was busy, the server may have closed the idle connection that is used now.
  const response = await request().catch((error: Error) =>
    (error.cause as { code?: string } | undefined)?.code === 'ECONNRESET' ? request() : Promise.reject(error),
  );
  return { status: response.status, headers: response.headers, body: await response.json() };
}

export function toForm(files: FileTexts): FormData {
  const form = new FormData();
  for (const [name, text] of Object.entries(files)) form.append(name, new Blob([text], { type: 'text/csv' }), name);
  return form;
}

/** A directory of type csv. */
export async function createCsvDirectory(place: Place, fields: Record<string, unknown> = {}) {
  const { body } = await place.api('POST', '/api/v1/directory-sync', { tenant: 'acme', product: 'app', type: 'csv', ...fields });
  const directory = toPulledDirectory(place, body.data.id as string);
  const followed = createFollower();
  return {
    ...directory,
    files: filesPath(directory.id),
    upload: (files: FileTexts, { query = '', key }: { query?: string; key?: string } = {}) =>
      send(place, `${filesPath(directory.id)}${query}`, { body: toForm(files), ...(key !== undefined && { key }) }),
    uploadOne: (name: string, text: string | Uint8Array, { query = '', type = 'text/csv' }: { query?: string; type?: string } = {}) =>
      send(place, `${filesPath(directory.id)}?file=${name}${query}`, { body: new Blob([text]), type }),
    /** Uploads a set, and waits for the end of its run. */
    async sync(files: FileTexts, query = '') {
      const { status, body: uploaded } = await send(place, `${filesPath(directory.id)}${query}`, { body: toForm(files) });
      if (status !== 202) throw new Error(`The files were not accepted: ${status} ${JSON.stringify(uploaded)}`);
      return directory.untilEnded(uploaded.data.run_id as string);
    },
    confirm: (runId: string) => directory.sync(`?confirm=${runId}`),
    /** The directory and what its events tell are the same as the files. Returns the types of the events since the last call. */
    async expectSame(people: People): Promise<string[]> {
      const events = await directory.newEvents();
      const truth = truthOf(people);
      expect(await storedIn(place, directory.id)).toEqual(truth);
      expect(followed.after(events)).toEqual(truth);
      return events.map(({ event }) => event).sort();
    },
  };
}

/** What an HR system knows. */
export interface People {
  users: Map<string, { email: string; active: boolean; department?: string }>;
  groups: Map<string, string>;
  members: Set<string>;
}

const truthOf = ({ users, groups, members }: People): State => ({
  users: [...users].map(([id, { email, active }]) => describeUser(id, email, active)).sort(),
  groups: [...groups].map(([id, name]) => `${id} ${name}`).sort(),
  members: [...members].map((member) => `${member} user`).sort(),
});

/** The files of an HR system. A member is written as its group and user. */
export const toFiles = ({ users, groups, members }: People, separator = ','): FileTexts => ({
  'users.csv': toCsv(
    [
      ['idp_id', 'email', 'first_name', 'active', 'department'],
      ...[...users].map(([id, { email, active, department = '' }]) => [id, email, `Name of ${id}`, active, department]),
    ],
    separator,
  ),
  'groups.csv': toCsv([['idp_id', 'name'], ...groups], separator),
  'user_groups.csv': toCsv([['user_id', 'group_id'], ...[...members].map((member) => member.split(' ').toReversed())], separator),
});
