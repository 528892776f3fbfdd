import { toDisplayAddress } from '../../directory/webhook-address.ts';
import type { Context } from '../add-command.ts';
import { listPages, noteExtent, type PageOptions } from '../list-pages.ts';

interface Options extends PageOptions {
  tenant?: string;
  product?: string;
}

export async function listDirectories({ options, client, ask, print }: Context<Options>) {
  const { tenant, product } = options;
  const directories = await listPages(
    (page) =>
      ask(
        product === undefined
          ? client.directories.listAll(page)
          : tenant === undefined
            ? client.directories.listOfProduct({ product, ...page })
            : client.directories.list({ tenant, product, ...page }),
      ),
    options,
  );
  if (options.json) return print.json(directories);
  if (directories.length > 0)
    print.table(
      [
        { title: 'Id', value: ({ id }) => id },
        ...(tenant === undefined ? [{ title: 'Tenant', value: (one: { tenant: string }) => one.tenant, mayShrink: true }] : []),
        ...(product === undefined ? [{ title: 'Product', value: (one: { product: string }) => one.product, mayShrink: true }] : []),
        { title: 'Name', value: ({ name }) => name, mayShrink: true },
        { title: 'Type', value: ({ type }) => type },
        { title: 'State', value: ({ deactivated }) => (deactivated ? 'deactivated' : 'active') },
        { title: 'Webhook', value: ({ webhook }) => toDisplayAddress(webhook.endpoint) || 'none', mayShrink: true },
      ],
      directories,
    );
  return noteExtent(print, directories.length, 'directories', options);
}
