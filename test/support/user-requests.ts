import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { subjectOf } from '../../src/directory/recorded-requests/user-requests.ts';
import { newId } from '../../src/ids.ts';
import { createRecordedRequestStore } from '../../src/store/recorded-requests/recorded-request-store.ts';
import { unlimitedReads } from './unlimited-reads.ts';

const perWrite = 2_000;

/** Records requests about users who are not in the directory, as if their provider had sent them now. */
export async function createMany(db: Knex, directoryId: string, count: number): Promise<void> {
  const store = createRecordedRequestStore(unlimitedReads(db));
  for (let from = 0; from < count; from += perWrite) {
    const requests = Array.from({ length: Math.min(perWrite, count - from) }, () => {
      const at = new Date();
      const userId = randomUUID();
      const common = { directoryId, id: newId(at.getTime()), at, method: 'GET', path: `/Users/${userId}`, status: 404, detail: 'None.' };
      return { ...common, durationMs: 1, requestId: userId };
    });
    await store.add(
      requests.map((request) => ({
        ...request,
        scimType: undefined,
        userAgent: '',
        contentType: '',
        body: undefined,
        bodyState: 'none',
        bodyBytes: undefined,
      })),
    );
    await store.addForUsers(requests.map((request) => ({ ...request, subjects: [subjectOf(request.requestId)], isShared: false })));
  }
}
