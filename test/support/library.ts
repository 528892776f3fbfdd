import { randomBytes } from 'node:crypto';
import { rollcall, type Rollcall, type ScimResponse, type RollcallEvent, type RollcallOptions } from '../../src/library/index.ts';
import { cloneDatabase } from './database.ts';

export interface TestLibrary {
  sync: Rollcall;
  options: RollcallOptions;
  logs: Record<string, unknown>[];
  db: Awaited<ReturnType<typeof cloneDatabase>>['db'];
  createDirectory(fields?: Record<string, unknown>): Promise<EmbeddedDirectory>;
  stop(): Promise<void>;
}

/** The fields of responses that tests read: of a user, a group, a list, or an error. */
export interface ScimBody {
  id: string;
  userName: string;
  groups: { display: string }[];
  totalResults: number;
  status: string;
  detail: string;
}

type TypedScimResponse = Omit<ScimResponse, 'data'> & { data: ScimBody };

export interface EmbeddedDirectory {
  id: string;
  secret: string;
  handle(
    method: string,
    resourceType: 'users' | 'groups',
    more?: { id?: string; body?: unknown; query?: Record<string, string | number>; secret?: string },
    callback?: (event: RollcallEvent) => unknown,
  ): Promise<TypedScimResponse>;
}

/** The library in this process, on a new database. */
export async function startTestLibrary(more: RollcallOptions = {}, start = rollcall): Promise<TestLibrary> {
  const logs: Record<string, unknown>[] = [];
  const database = await cloneDatabase();
  const options: RollcallOptions = {
    databaseUrl: database.url,
    encryptionKeys: [randomBytes(32).toString('base64')],
    externalUrl: 'https://app.example',
    logTo: { write: (line: string) => void logs.push(JSON.parse(line) as Record<string, unknown>) },
    ...more,
  };
  const sync = await start(options);
  return {
    sync,
    options,
    logs,
    db: database.db,
    async createDirectory(fields = {}) {
      const { data, error } = await sync.directories.create({ tenant: 'acme', product: 'app', ...fields });
      if (error) throw new Error(error.message);
      return toEmbedded(sync, data);
    },
    async stop() {
      await sync.stop();
      await database.drop();
    },
  };
}

export const toEmbedded = (sync: Rollcall, { id, scim }: { id: string; scim: { secret: string } }): EmbeddedDirectory => ({
  id,
  secret: scim.secret,
  async handle(method, resourceType, { id: resourceId, body, query, secret = scim.secret } = {}, callback) {
    const request = { method, directoryId: id, resourceType, apiSecret: secret, resourceId, body, ...(query && { query }) };
    return (await sync.requests.handle(request, callback)) as TypedScimResponse;
  },
});
