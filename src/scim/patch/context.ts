import type { Attribute, ResourceType } from '../schema/attribute.ts';
import type { Catalogues } from './catalogue.ts';
import type { Budget } from '../budget.ts';

/** What is known of the attribute that an operation changes. */
export interface Context {
  /** Of the whole attribute, if a schema has it. */
  definition: Attribute | undefined;
  type: ResourceType;
  budget: Budget;
  /** Of lists that were added to, until something else changes them. */
  catalogues: Catalogues;
}
