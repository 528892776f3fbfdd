import Router from '@koa/router';
import type { Context } from 'koa';
import { ScimError } from '../../scim/errors.ts';
import { getResourceType, getSchema, toResourceTypeList, toSchemaList, toServiceProviderConfig } from '../../scim/discovery.ts';
import type { ScimState } from '../authenticate-directory.ts';
import { answerScim } from '../scim-dialect.ts';
import { scimBase } from '../scim-presenters.ts';

export interface ScimDiscoveryRoutesDeps {
  baseUrl(): string;
  maxBodyBytes: number;
}

const root = '/api/scim/v2.0/:directory';

/** What this service can do (RFC 7644, section 4). */
export function scimDiscoveryRoutes({ baseUrl, maxBodyBytes }: ScimDiscoveryRoutesDeps): Router<ScimState> {
  const router = new Router<ScimState>();
  const get = (paths: string[], describe: (base: string, id: string) => unknown) => {
    router.get(
      paths.map((path) => `${root}${path}`),
      async (ctx) => {
        refuseFilter(ctx);
        await answerScim(ctx, describe(scimBase(baseUrl(), ctx.state.directoryId), ctx.params['id'] ?? ''));
      },
    );
  };
  // Some providers ask for the plural (erratum 4978).
  get(['/ServiceProviderConfig', '/ServiceProviderConfigs'], (base) => toServiceProviderConfig(base, { maxPayloadSize: maxBodyBytes }));
  get(['/ResourceTypes'], toResourceTypeList);
  get(['/ResourceTypes/:id'], getResourceType);
  get(['/Schemas'], toSchemaList);
  get(['/Schemas/:id'], getSchema);

  router.all(`${root}/Me`, () => {
    throw new ScimError({ status: 501, detail: 'A directory speaks for its identity provider, which is no user: there is no Me here.' });
  });
  return router;
}

function refuseFilter(ctx: Context) {
  if (Object.keys(ctx.query).some((name) => name.toLowerCase() === 'filter'))
    throw new ScimError({ status: 403, detail: 'This address takes no filter (RFC 7644, section 4).' });
}
