import { randomBytes } from 'node:crypto';
import { controllers, type DirectorySyncEvent, type EventCallback, type JacksonOption, type SAMLJackson } from '../../src/jackson/index.ts';
import { cloneDatabase } from './database.ts';
import type { ScimBody } from './library.ts';

/** `rollcall/jackson` in this process, on a new database. */
export async function startTestJackson(more: JacksonOption = {}) {
  const database = await cloneDatabase();
  const db = { engine: 'sql', type: 'postgres', url: database.url, encryptionKey: randomBytes(16).toString('hex') };
  const options: JacksonOption = { externalUrl: 'https://app.example', db, logLevel: 'silent', ...more };
  const jackson = await controllers(options);
  return {
    ...jackson,
    controller: jackson.directorySyncController,
    db: database.db,
    options,
    async stop() {
      await jackson.close();
      await database.drop();
    },
  };
}

let count = 0;

/** A new directory, and what its provider pushes. */
export async function createJacksonDirectory({ directorySyncController: controller }: SAMLJackson, fields: Record<string, unknown> = {}) {
  const owner = { tenant: `tenant-${(count += 1)}`, product: 'crm' };
  const { data, error } = await controller.directories.create({ ...owner, type: 'okta-scim-v2', ...fields });
  if (error) throw new Error(error.message);
  const events: DirectorySyncEvent[] = [];
  const note: EventCallback = async (event) => void events.push(event);
  const push = async (method: string, resourceType: string, body?: unknown, resourceId?: string, callback: EventCallback | null = note) => {
    const request = { method, body, directoryId: data.id, resourceType, resourceId, apiSecret: data.scim.secret, query: {} };
    return (await controller.requests.handle(request, callback ?? undefined)) as { status: number; data: ScimBody };
  };
  return { ...owner, directory: data, events, push };
}
