import type { Rollcall } from '../library/index.ts';
import { startRollcall, type StartedRollcall } from '../library/start.ts';
import { createDirectories, type Directories, DirectorySyncProviders, type DirectoryType, toDirectoryResponse } from './directories.ts';
import { createEvents, type Events } from './events.ts';
import { createGroups, type Groups } from './groups.ts';
import type { JacksonOption } from './options.ts';
import { createOwnerScope } from './owner-scope.ts';
import { orThrow, toResponse, type Response } from './response.ts';
import { toLibraryCallback, translateOptions } from './translate-options.ts';
import type { Directory, DirectorySyncRequest, DirectorySyncResponse, EventCallback } from './types.ts';
import { createUsers, type Users } from './users.ts';
import { createWebhookLogs, type WebhookLogs } from './webhook-logs.ts';
import { createWrites } from './writes.ts';

export interface IDirectorySyncController {
  directories: Directories;
  users: Users;
  groups: Groups;
  webhookLogs: WebhookLogs;
  /** Rejects with what the callback threw. The change is committed all the same, and later events of the request are passed. */
  requests: { handle(request: DirectorySyncRequest, callback?: EventCallback): Promise<DirectorySyncResponse> };
  events: Events;
  google: Google;
  providers(): Record<DirectoryType, string>;
  /** Syncs the directories of type `google` now. */
  sync(callback?: EventCallback): Promise<void>;
}

export interface SAMLJackson {
  directorySyncController: IDirectorySyncController;
  /** The underlying library, for operations that Polis does not have. */
  rollcall: Rollcall;
  close(): Promise<void>;
}

/** Rollcall with the call forms of Ory Polis (BoxyHQ Jackson). */
export async function controllers(options: JacksonOption): Promise<SAMLJackson> {
  const translated = translateOptions(options);
  const started = await startRollcall(translated);
  const { rollcall } = started;
  const onEvent = translated.onEvent as EventCallback | undefined;
  return { directorySyncController: createController(started, onEvent), rollcall, close: () => rollcall.stop() };
}

function createController({ rollcall: sync, inProcess }: StartedRollcall, onEvent: EventCallback | undefined): IDirectorySyncController {
  const [usersOwner, groupsOwner] = [createOwnerScope(), createOwnerScope()];
  const writes = createWrites(inProcess);
  return {
    directories: createDirectories(sync),
    users: createUsers({ sync, writes }, usersOwner),
    groups: createGroups({ sync, writes }, groupsOwner),
    webhookLogs: createWebhookLogs({ sync, ...inProcess }),
    requests: {
      async handle(request, callback = onEvent) {
        const failures: { error: unknown }[] = [];
        const watched = callback && watchCallback(callback, failures);
        // Unknown resource types get the library's error, as in Polis.
        const response = await sync.requests.handle(request as never, toLibraryCallback(watched));
        for (const owner of [usersOwner, groupsOwner]) if (response.status < 300) owner.handled(request.directoryId);
        const [failure] = failures;
        if (failure) throw failure.error;
        return { ...response, data: response.data ?? {} };
      },
    },
    events: createEvents({ sync, ...inProcess }),
    google: createGoogle(sync),
    providers: () => ({ ...DirectorySyncProviders }),
    async sync(callback) {
      orThrow(toResponse(await sync.sync(undefined, toLibraryCallback(callback))));
    },
  };
}

/** The library logs the error of a callback and continues. */
const watchCallback =
  (callback: EventCallback, failures: { error: unknown }[]): EventCallback =>
  async (event) => {
    try {
      await callback(event);
    } catch (error) {
      failures.push({ error });
      throw error;
    }
  };

interface Google {
  generateAuthorizationUrl(request: { directoryId: string }): Promise<Response<{ authorizationUrl: string }>>;
  getAccessToken(request: { directoryId: string; code: string; state?: string }): Promise<Response<Credentials>>;
  setToken(request: {
    directoryId: string;
    accessToken: Credentials['access_token'];
    refreshToken: Credentials['refresh_token'];
  }): Promise<Response<Directory>>;
}

interface Credentials {
  access_token?: string | null;
  refresh_token?: string | null;
  expiry_date?: number | null;
}

function createGoogle({ google }: Rollcall): Google {
  return {
    generateAuthorizationUrl: async (request) => toResponse(await google.generateAuthorizationUrl(request)),
    getAccessToken: async (request) => toResponse(await google.getAccessToken(request)),
    setToken: async ({ directoryId, accessToken, refreshToken }) =>
      toDirectoryResponse(
        toResponse(await google.setToken({ directoryId, accessToken: accessToken ?? '', refreshToken: refreshToken ?? '' })),
      ),
  };
}
