import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { TestDirectory, TestService } from './service.ts';
import { until } from './until.ts';

export const schemasPath = '/api/v1/attribute-schemas';
export const mappingPath = (directoryId: string) => `/api/v1/directory-sync/${directoryId}/mapping`;
export const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

/** A directory of a product of its own. With attributes: those of the product. */
export async function createMapped(
  service: TestService,
  attributes: object[] = [],
  request: Record<string, unknown> = {},
): Promise<TestDirectory & { product: string }> {
  const product = `product-${randomUUID()}`;
  if (attributes.length > 0) await setSchema(service, product, attributes);
  return { ...(await service.createDirectory({ product, type: 'okta-scim-v2', ...request })), product };
}

export async function setSchema(service: TestService, product: string, attributes: object[]): Promise<void> {
  const { status, body } = await service.api('PUT', schemasPath, { product, attributes });
  expect([status, body.error]).toEqual([200, null]);
}

/** Replaces the mapping, and waits until all users are computed. */
export async function setMapping(service: TestService, directoryId: string, attributes: object): Promise<void> {
  const { status, body } = await service.api('PUT', mappingPath(directoryId), { attributes });
  expect([status, body.error]).toEqual([200, null]);
  await untilComputed(service, directoryId);
}

export const untilComputed = (service: TestService, directoryId: string) =>
  until(async () => (await service.api('GET', mappingPath(directoryId))).body.data.recompute.state === 'done', { timeoutMs: 60_000 });

export const attributesOf = async (service: TestService, directoryId: string, userId: string) =>
  (await service.api('GET', `/api/v1/directory-sync/users/${userId}?directory_id=${directoryId}`)).body.data.custom_attributes;
