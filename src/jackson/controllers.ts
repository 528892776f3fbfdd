import { rollcall, type Rollcall } from '../library/index.ts';
import { createDirectories, type Directories, DirectorySyncProviders, type DirectoryType } from './directories.ts';
import { type Groups, type Users, type WebhookLogs, createGroups, createUsers, createWebhookLogs } from './tenant-views.ts';
import type { JacksonOption } from './options.ts';
import { toLibraryCallback, translateOptions } from './translate-options.ts';
import type { DirectorySyncRequest, DirectorySyncResponse, EventCallback, Directory } from './types.ts';
import { toResponse, type Response } from './response.ts';

export interface IDirectorySyncController {
  directories: Directories;
  users: Users;
  groups: Groups;
  webhookLogs: WebhookLogs;
  requests: { handle(request: DirectorySyncRequest, callback?: EventCallback): Promise<DirectorySyncResponse> };
  events: {
    /** Does nothing: Rollcall delivers webhooks itself. */
    callback: EventCallback;
    batch: { process(): Promise<void> };
  };
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

/** Rollcall with the call forms of Ory Polis (BoxyHQ Jackson). It adds nothing and keeps no state between calls. */
export async function controllers(options: JacksonOption): Promise<SAMLJackson> {
  const sync = await rollcall(translateOptions(options));
  return { directorySyncController: createController(sync), rollcall: sync, close: () => sync.stop() };
}

function createController(sync: Rollcall): IDirectorySyncController {
  return {
    directories: createDirectories(sync),
    users: createUsers(sync),
    groups: createGroups(sync),
    webhookLogs: createWebhookLogs(sync),
    requests: {
      // Unknown resource types get the library's error, as in Polis.
      handle: (request, callback) => sync.requests.handle(request, toLibraryCallback(callback)),
    },
    events: {
      callback: () => Promise.resolve(),
      batch: {
        async process() {
          const { error } = await sync.deliveries.processQueued();
          if (error) throw new Error(error.message);
        },
      },
    },
    google: createGoogle(sync),
    providers: () => ({ ...DirectorySyncProviders }),
    async sync(callback) {
      const { error } = await sync.sync(undefined, toLibraryCallback(callback));
      if (error) throw new Error(error.message);
    },
  };
}

interface Google {
  generateAuthorizationUrl(request: { directoryId: string }): Promise<Response<{ authorizationUrl: string }>>;
  getAccessToken(request: { directoryId: string; code: string; state?: string }): Promise<Response<Credentials>>;
  setToken(request: { directoryId: string; accessToken: string; refreshToken: string }): Promise<Response<Directory>>;
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
    setToken: async (request) => toResponse(await google.setToken(request)),
  };
}
