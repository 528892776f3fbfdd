import type { Context } from 'koa';
import { z } from 'zod';
import type { Directory } from '../../directory/directories/directory.ts';
import { publicDirectoryId } from '../../directory/directories/former-ids.ts';
import { parseRequest } from '../api/define-operation.ts';
import type { HttpDeps } from '../deps.ts';
import { readForm } from '../server/body/read-form.ts';
import { linkOf } from './authenticate-setup-link.ts';
import { type Language, languageList, readLanguage } from './languages/languages.ts';
import { type View, createView } from './render.ts';

const query = z.object({
  lang: z
    .enum(languageList as [Language, ...Language[]])
    .optional()
    .meta({ description: 'The language; default: what the browser prefers.', examples: ['de'] }),
});

/** What all pages of setup links have in common. */
export const pageOperation = { tag: 'Setup links', auth: 'none', format: 'page', query } as const;
export const pageErrors = {
  400: 'A page says that the request is invalid.',
  403: 'A page says so: the request comes from a page of another site.',
  404: 'A page says that the link does not work, whatever the reason is.',
  429: 'There were too many failed authentications.',
};

/** Reads a small form of one of the pages. */
export async function readFields<Schema extends z.ZodType>(ctx: Context, schema: Schema): Promise<z.output<Schema>> {
  return parseRequest(schema, Object.fromEntries(await readForm(ctx, { maxBytes: 4_096, maxValues: Infinity })));
}

export const viewOf = (ctx: Context, { brandingOf, baseUrl }: HttpDeps): View => {
  const { token, product } = linkOf(ctx);
  // The address without the host: a proxy may add a path before it.
  const prefix = new URL(baseUrl()).pathname.replace(/\/$/, '');
  return createView({ ...readLanguage(ctx), prefix, root: `${prefix}/setup/${token}`, branding: brandingOf(product) });
};

/** To a path: the form may lead only to this origin, which another host name may have. */
export function redirect(ctx: Context, deps: HttpDeps, directory: Directory, below = ''): void {
  ctx.redirect(viewOf(ctx, deps).address(`/directory-sync/${publicDirectoryId(directory)}${below}`));
  ctx.body = null;
  ctx.status = 303;
}
