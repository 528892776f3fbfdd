// Generated from the OpenAPI document by `npm run client`.
import type { CallOptions, Result } from '../result.ts';
import type {
  Directory,
  DirectoryCreation,
  User,
  Event,
  DirectoriesListQuery,
  DeliveriesStateData,
  UsersListQuery,
  GroupsMembersQuery,
  GroupsMembersItem,
  EventsListQuery,
} from './types.ts';

/** The operations of the service by area. A call takes what its path names, then its body or query, then options. */
export interface Client {
  directories: {
    /**
     * Does directories.list.
     *
     * `GET /api/v1/directory-sync`
     */
    list(query: DirectoriesListQuery, options?: CallOptions): Promise<Result<Directory[]>>;

    /**
     * Does directories.create.
     *
     * `POST /api/v1/directory-sync`
     */
    create(body: DirectoryCreation, options?: CallOptions): Promise<Result<Directory>>;

    /**
     * Does directories.get.
     *
     * `GET /api/v1/directory-sync/{directoryId}`
     *
     * @param directoryId The id of a directory.
     */
    get(directoryId: string, options?: CallOptions): Promise<Result<Directory>>;
  };

  deliveries: {
    /**
     * Does deliveries.state.
     *
     * `GET /api/v1/directory-sync/{directoryId}/delivery`
     *
     * @param directoryId The id of a directory.
     */
    state(directoryId: string, options?: CallOptions): Promise<Result<DeliveriesStateData>>;
  };

  users: {
    /**
     * Does users.list.
     *
     * `GET /api/v1/directory-sync/users`
     */
    list(query?: UsersListQuery, options?: CallOptions): Promise<Result<User[]>>;
  };

  groups: {
    /**
     * Does groups.members.
     *
     * `GET /api/v1/directory-sync/groups/{groupId}/members`
     *
     * @param groupId The id of a group.
     */
    members(groupId: string, query?: GroupsMembersQuery, options?: CallOptions): Promise<Result<GroupsMembersItem[]>>;
  };

  events: {
    /**
     * Does events.list.
     *
     * `GET /api/v1/events`
     */
    list(
      query?: EventsListQuery,
      options?: CallOptions,
    ): Promise<
      Result<
        Event[],
        {
          list_metadata: {
            after: string;
            has_more: boolean;
          };
        }
      >
    >;
  };
}
