import { expect, it } from '@jest/globals';
import { startTestService } from '../support/service.ts';

it('is live and ready, and says what is missing when it is not ready', async () => {
  const service = await startTestService();
  try {
    expect((await service.api('GET', '/health/live', undefined, { authorization: '' })).body).toEqual({
      data: { status: 'live' },
      error: null,
    });
    for (const path of ['/health/ready', '/api/health'])
      expect((await service.api('GET', path, undefined, { authorization: '' })).status).toBe(200);
    await service.db('knex_migrations').insert({ name: '999_future_breaking', batch: 9 });
    const { status, body } = await service.api('GET', '/health/ready');
    expect([status, body.error]).toEqual([
      503,
      { code: 'unavailable', message: body.error.missing[0], status: 503, missing: [expect.stringContaining('schema')] },
    ]);
  } finally {
    await service.stop();
  }
});

it('gives every response an id: that of the request, if it is valid', async () => {
  const service = await startTestService({}, { deliver: false });
  try {
    const idOf = async (headers: Record<string, string>) =>
      (await service.api('GET', '/health/live', undefined, headers)).headers.get('x-request-id');
    expect(await idOf({ 'x-request-id': 'trace-7' })).toBe('trace-7');
    expect(await idOf({ 'x-request-id': 'a b"{}' })).toMatch(/^[0-9a-f-]{36}$/);
    expect(service.logs).toContainEqual(expect.objectContaining({ requestId: 'trace-7', msg: 'request', status: 200 }));
  } finally {
    await service.stop();
  }
});
