import { readFileSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import { z } from 'zod';
import { StartupError } from '../errors.ts';
import type { Branding } from '../http/setup/branding.ts';
import { readValidatedFile } from '../limits/read-validated-file.ts';

const brand = {
  name: z.string('must be a name').trim().max(100, 'may have at most 100 characters').optional(),
  logo: z.string('must be the name of a file').optional(),
  color: z
    .string('must be a color like #0b5fff')
    .regex(/^#[\da-f]{6}$/i, 'must be a color like #0b5fff')
    .optional(),
};
const brandingFile = z.strictObject({ ...brand, products: z.record(z.string(), z.strictObject(brand)).default({}) }, 'must be an object');

const types: Record<string, string> = { '.svg': 'image/svg+xml', '.png': 'image/png', '.jpg': 'image/jpeg', '.webp': 'image/webp' };
const maxLogoBytes = 65_536;

/** The branding of a product: what the file says of it, and for the rest what it says of all. */
export function readBranding(file: string | undefined): (product: string) => Branding {
  if (file === undefined) return () => ({});
  const { products, ...all } = readValidatedFile(file, brandingFile);
  const common = toBranding(all);
  const byProduct = new Map(Object.entries(products).map(([product, own]) => [product, { ...common, ...toBranding(own) }]));
  return (product) => byProduct.get(product) ?? common;

  function toBranding({ name, logo, color }: { [Field in keyof typeof brand]?: string | undefined }): Branding {
    return { ...(name && { name }), ...(color && { color }), ...(logo && { logo: readLogo(resolve(dirname(file!), logo)) }) };
  }
}

/** Part of the page, because it loads nothing from elsewhere. A browser runs no script of an image. */
function readLogo(path: string): string {
  const type = types[extname(path).toLowerCase()];
  if (type === undefined) throw new StartupError(`The logo ${path} must be one of ${Object.keys(types).join(', ')}.`);
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new StartupError(`The logo ${path} can't be read: ${(error as Error).message}`, { cause: error });
  }
  if (bytes.length > maxLogoBytes) throw new StartupError(`The logo ${path} is larger than ${maxLogoBytes} bytes.`);
  return `data:${type};base64,${bytes.toString('base64')}`;
}
