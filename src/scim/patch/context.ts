import type { Attribute, ResourceType } from '../schema/attribute.ts';
import type { Work } from './work.ts';

/** What is known of the attribute that an operation changes. */
export interface Context {
  /** Of the whole attribute, if a schema has it. */
  definition: Attribute | undefined;
  type: ResourceType;
  work: Work;
}
