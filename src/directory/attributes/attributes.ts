import { AppError } from '../../errors.ts';
import type { Narrowing } from '../../access/narrowing.ts';
import { isId } from '../../ids.ts';
import { directoryNotFound } from '../errors.ts';
import type { UserStore } from '../ports.ts';
import { type AttributeSchema, findIncompatible, type RequestedAttribute, toAttributeSchema } from './attribute.ts';
import type { AttributeStore, DirectoryMapping, RecomputeKey } from './ports.ts';
import { createPreviewMapping, type MappingPreview } from './preview-mapping.ts';
import { type AttributeMapping, assertMappable } from './source.ts';

interface AttributesDeps {
  store: AttributeStore;
  users: Pick<UserStore, 'listAcross'>;
  /** Returns immediately. The sweep makes up for failures. */
  startRecomputeSoon(key: RecomputeKey): void;
}

export type Attributes = ReturnType<typeof createAttributes>;

/** Attribute schemas of products, and the mappings of their directories. */
export function createAttributes({ store, users, startRecomputeSoon }: AttributesDeps) {
  const previewMapping = createPreviewMapping({ users });
  return {
    /** A product that the caller may not know of looks like one without a schema. */
    async getSchema(narrowed: Narrowing, product: string): Promise<AttributeSchema> {
      return narrowed.product === undefined || narrowed.product === product ? store.getSchema(product) : [];
    },

    /** It belongs to all tenants of the product. */
    async setSchema(
      narrowed: Narrowing,
      product: string,
      requested: RequestedAttribute[],
      options: { repeats?: boolean | undefined } = {},
    ): Promise<AttributeSchema> {
      if (narrowed.tenant !== undefined || narrowed.directoryId !== undefined)
        throw new AppError(
          'key_narrowed',
          'An attribute schema belongs to all tenants of a product: it requires an API key that is not narrowed to one of them.',
        );
      if (narrowed.product !== undefined && narrowed.product !== product)
        throw new AppError('key_narrowed', 'This API key is narrowed to another product.', { field: 'product' });
      const schema = toAttributeSchema(requested);
      const recomputes = await store.setSchema(
        product,
        schema,
        async (former, countMapped) => {
          const changed = findIncompatible(former, schema);
          const count = await countMapped(changed);
          if (count === 0) return;
          throw new AppError(
            'invalid_request',
            `attributes would remove or change the type of ${changed.join(', ')}, which the mappings of ${count} ${count === 1 ? 'directory' : 'directories'} name: remove it from these mappings first.`,
            { field: 'attributes' },
          );
        },
        options,
      );
      recomputes.forEach(startRecomputeSoon);
      return schema;
    },

    getMapping,

    async setMapping(
      directoryId: string,
      mapping: AttributeMapping,
      options: { repeats?: boolean | undefined } = {},
    ): Promise<DirectoryMapping> {
      if (!isId(directoryId)) throw directoryNotFound();
      const changed = await store.setMapping(directoryId, mapping, (schema) => assertMappable(mapping, schema), options);
      if (!changed) throw directoryNotFound();
      if (changed.recompute) startRecomputeSoon(changed.recompute);
      return getMapping(directoryId);
    },

    /** What a mapping would change; by default, what the present one has not changed yet. Nothing is stored. */
    async preview(
      directoryId: string,
      requested: AttributeMapping | undefined,
      options: { limit: number; signal: AbortSignal },
    ): Promise<MappingPreview> {
      const directory = await getMapping(directoryId);
      if (requested) assertMappable(requested, directory.schema);
      return previewMapping(directoryId, { ...directory, mapping: requested ?? directory.mapping }, options);
    },
  };

  async function getMapping(directoryId: string): Promise<DirectoryMapping> {
    const found = isId(directoryId) ? await store.getMapping(directoryId) : undefined;
    if (!found) throw directoryNotFound();
    return found;
  }
}
