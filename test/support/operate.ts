import { expect } from '@jest/globals';
import { pushUsers } from './push-users.ts';
import type { Receiver } from './receiver.ts';
import type { ServiceResponse, TestDirectory, TestService } from './service.ts';
import { until } from './until.ts';

export const root = '/api/v1/directory-sync';

/** An operator's requests for the delivery of a directory. */
export function operate(service: TestService, directory: TestDirectory) {
  const at = (path: string) => `${root}/${directory.id}${path}`;
  const get = async (path: string) => {
    const { status, body } = await service.api('GET', at(path));
    expect({ status, error: body.error }).toEqual({ status: 200, error: null });
    return body.data;
  };
  const state = () => get('/delivery');
  const post = (path: string, body?: unknown): Promise<ServiceResponse> => service.api('POST', at(path), body);
  const untilReplay = (id: string, status: string) =>
    until(async () => {
      const replay = await get(`/replays/${id}`);
      return replay.status === status && replay;
    });
  return {
    get,
    state,
    post,
    patch: (body: unknown): Promise<ServiceResponse> => service.api('PATCH', at(''), body),
    push: (...names: string[]) => pushUsers(directory, ...names),
    untilStatus: (status: string) => until(async () => (await state()).status === status),
    untilDone: () => until(async () => (await state()).backlog === 0),
    untilReplay,
    async replay(request: object) {
      const { status, body } = await post('/replays', request);
      expect([status, body.error]).toEqual([202, null]);
      return untilReplay(body.data.id, 'done');
    },
  };
}

/** Creates a directory that has a receiver and keeps event bodies. */
export async function createOperated(service: TestService, receiver: Receiver, fields: Record<string, unknown> = {}) {
  const directory = await service.createDirectory({ webhook_url: receiver.url, log_webhook_events: true, ...fields });
  return { directory, ...operate(service, directory) };
}
export type Operated = Awaited<ReturnType<typeof createOperated>>;
