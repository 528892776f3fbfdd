import type { Rollcall } from '../library/index.ts';
import { filterPages, toResponse, type PaginationParams, type Response } from './response.ts';
import type { Directory } from './types.ts';

interface CreateDirectory {
  name?: string;
  tenant: string;
  product: string;
  webhook_url?: string;
  webhook_secret?: string;
  type?: DirectoryType;
  google_access_token?: string;
  google_refresh_token?: string;
}

interface DirectoryFilter extends PaginationParams {
  product?: string | undefined;
  provider?: DirectoryType | undefined;
}

type UpdateDirectory = Partial<Omit<Directory, 'id' | 'tenant' | 'product' | 'scim' | 'type'>> & {
  webhook_url?: string;
  webhook_secret?: string;
};

export interface Directories {
  create(request: CreateDirectory): Promise<Response<Directory>>;
  get(id: string): Promise<Response<Directory>>;
  update(id: string, change: UpdateDirectory): Promise<Response<Directory>>;
  delete(id: string): Promise<Response<null>>;
  getByTenantAndProduct(tenant: string, product: string): Promise<Response<Directory[]>>;
  /** Lists the directories of a product, or of all products if no product is given. */
  getAll(filter?: DirectoryFilter): Promise<Response<Directory[]>>;
  filterBy(filter?: DirectoryFilter): Promise<Response<Directory[]>>;
}

export function createDirectories(sync: Rollcall): Directories {
  return {
    create: async (request) => toResponse(await sync.directories.create(request)),
    get: async (id) => toResponse(await sync.directories.get(id)),
    update: async (id, change) => toResponse(await sync.directories.update(id, change)),

    async delete(id) {
      const { error } = toResponse(await sync.directories.delete(id));
      return error ? { data: null, error } : { data: null, error: null };
    },

    getByTenantAndProduct: (tenant, product) =>
      filterPages<Directory>(
        (page) => sync.directories.list({ tenant, product, ...page }),
        () => true,
      ),
    getAll: list,
    filterBy: list,
  };

  async function list({ product, provider, pageOffset = 0, pageLimit }: DirectoryFilter = {}): Promise<Response<Directory[]>> {
    const read = (page: { pageOffset: number; pageLimit?: number }) =>
      product === undefined ? sync.directories.listAll(page) : sync.directories.listOfProduct({ product, ...page });
    if (provider === undefined) return toResponse(await read({ pageOffset, ...(pageLimit && { pageLimit }) }));
    const found = await filterPages<Directory>(read, ({ type }) => type === provider);
    return found.error ? found : { data: found.data.slice(pageOffset, pageOffset + (pageLimit || 50)), error: null };
  }
}

/** Directory types with the names that Polis shows. */
export const DirectorySyncProviders = {
  'azure-scim-v2': 'Entra ID SCIM v2.0',
  'onelogin-scim-v2': 'OneLogin SCIM v2.0',
  'okta-scim-v2': 'Okta SCIM v2.0',
  'jumpcloud-scim-v2': 'JumpCloud v2.0',
  'generic-scim-v2': 'Generic SCIM v2.0',
  google: 'Google',
} as const;

export type DirectoryType = keyof typeof DirectorySyncProviders;
