import { Script } from 'node:vm';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
const { runInContext } = Script.prototype;
const timeouts: unknown[] = [];
beforeAll(async () => {
  Script.prototype.runInContext = function (context, options) {
    timeouts.push((options as { timeout?: number } | undefined)?.timeout);
    return runInContext.call(this, context, options) as unknown;
  };
  service = await startTestService();
});
afterAll(async () => {
  Script.prototype.runInContext = runInContext;
  await service.stop();
});

it("calls into a workflow's sandbox without a timeout, for which Node would start a thread", async () => {
  const directory = await service.createDirectory();
  expect((await directory.scim('POST', '/Users', { userName: 'ada@example.com' })).status).toBe(201);
  expect(timeouts.length).toBeGreaterThan(8);
  expect(timeouts.filter((timeout) => timeout !== undefined)).toEqual([]);
});
