import type { CreateDirectoryRequest, Directory as ClientDirectory } from '../client/index.ts';
import type { Result } from '../client/result.ts';
import { polisProviderNames } from '../directory/directories/directory.ts';
import type { Rollcall } from '../library/index.ts';
import { createErrorResponse, filterPages, toResponse, type PaginationParams, type Response } from './response.ts';
import type { Directory } from './types.ts';

interface CreateDirectory {
  name?: string | null | undefined;
  tenant: string;
  product: string;
  webhook_url?: string | null | undefined;
  webhook_secret?: string | null | undefined;
  type?: DirectoryType | undefined;
  google_access_token?: string | undefined;
  google_refresh_token?: string | undefined;
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
  /** Lists the directories of a product or provider; one of them is required. */
  filterBy(filter?: DirectoryFilter): Promise<Response<Directory[]>>;
  /** Counts all directories, or those with a value in an index of Polis: `product`, `tenantProduct` (`acme:crm`) or `dsync:providers`. */
  getCount(index?: { name: string; value: string }): Promise<number | undefined>;
}

const notFound = 'Directory configuration not found.';
const missing = () => Promise.resolve(createErrorResponse('Missing required parameters.'));

export function createDirectories(sync: Rollcall): Directories {
  return {
    create(request) {
      const { tenant, product, type } = request;
      if (!tenant || !product) return missing();
      if (type && !Object.hasOwn(DirectorySyncProviders, type)) return Promise.resolve(createErrorResponse('Invalid directory type.'));
      return callForOne(sync.directories.create(withoutNull(request)));
    },
    get: (id) => (id ? callForOne(sync.directories.get(id)) : missing()),
    update: (id, change) => (id ? callForOne(sync.directories.update(id, change)) : missing()),

    async delete(id) {
      if (!id) return createErrorResponse('Missing required parameter.');
      const { error } = await call<unknown>(sync.directories.delete(id));
      return error ? { data: null, error } : { data: null, error: null };
    },

    getByTenantAndProduct: (tenant, product) =>
      tenant && product ? callForMany(filterPages((page) => sync.directories.list({ tenant, product, ...page }))) : missing(),
    getAll: list,
    filterBy: (filter = {}) =>
      filter.product || filter.provider ? list(filter) : Promise.resolve(createErrorResponse('Please provide a product or provider.')),

    async getCount(index) {
      if (!index) return (await call(sync.stats.get())).data?.dsync_connections;
      const { name, value } = index;
      if (name === 'product') return (await call(sync.stats.ofProducts({ products: [value], type: 'dsync' }))).data?.dsync_connections;
      if (name !== 'tenantProduct' && name !== 'dsync:providers') return 0;
      const [tenant, product] = name === 'tenantProduct' ? value.split(':') : [];
      const fits = ({ type }: ClientDirectory) => name === 'tenantProduct' || type === value;
      const read = tenant !== undefined && product !== undefined ? { tenant, product } : undefined;
      if (name === 'tenantProduct' && !read) return 0;
      const found = await filterPages<ClientDirectory>(
        (page) => (read ? sync.directories.list({ ...read, ...page }) : sync.directories.listAll(page)),
        fits,
      );
      return found.data?.length;
    },
  };

  async function list({ product, provider, pageOffset = 0, pageLimit }: DirectoryFilter = {}): Promise<Response<Directory[]>> {
    const read = (page: { pageOffset: number; pageLimit?: number }) =>
      product === undefined ? sync.directories.listAll(page) : sync.directories.listOfProduct({ product, ...page });
    if (provider === undefined) return callForMany(call(read({ pageOffset, ...(pageLimit && { pageLimit }) })));
    const found = await callForMany(filterPages<ClientDirectory>(read, ({ type }) => type === provider));
    if (found.error) return found;
    const [first, count] = [pageOffset, pageLimit].map(toWithinRange) as [number, number];
    return { data: found.data.slice(first, first + (count || 50)), error: null };
  }
}

/** As over HTTP: what is no number, or out of range, means the nearest bound. */
const toWithinRange = (given: number | undefined) => Math.max(Math.trunc(Number(given)) || 0, 0);

const call = async <Data>(result: Promise<Result<Data>>): Promise<Response<Data>> => toResponse(await result, notFound);

const callForOne = async (result: Promise<Result<ClientDirectory & { health?: unknown }>>): Promise<Response<Directory>> =>
  toDirectoryResponse(await call(result));

export const toDirectoryResponse = ({ data, error }: Response<ClientDirectory & { health?: unknown }>): Response<Directory> =>
  error ? { data: null, error } : { data: toDirectory(data), error: null };

async function callForMany(response: Promise<Response<ClientDirectory[]>>): Promise<Response<Directory[]>> {
  const { data, error } = await response;
  return error ? { data: null, error } : { data: data.map(toDirectory), error: null };
}

/** Without what only Rollcall shows of a single directory, so that it equals the one in a list. In Polis every secret is a text. */
function toDirectory({ health: _health, warnings: _warnings, ...directory }: ClientDirectory & { health?: unknown }): Directory {
  const { scim, webhook, google_access_token: accessToken, google_refresh_token: refreshToken, ...shown } = directory;
  return {
    ...shown,
    type: shown.type as Directory['type'],
    scim: { path: scim.path, endpoint: scim.endpoint, secret: scim.secret ?? '' },
    webhook: { endpoint: webhook.endpoint, secret: webhook.secret ?? '' },
    ...(accessToken !== undefined && { google_access_token: accessToken ?? '' }),
    ...(refreshToken !== undefined && { google_refresh_token: refreshToken ?? '' }),
  };
}

/** In Polis null is as good as missing. */
const withoutNull = (request: CreateDirectory) =>
  Object.fromEntries(
    Object.entries(request).filter(([, value]) => value !== null && value !== undefined),
  ) as unknown as CreateDirectoryRequest;

/** Directory types with the names that Polis shows. */
export const DirectorySyncProviders = polisProviderNames;

export type DirectoryType = keyof typeof DirectorySyncProviders;
