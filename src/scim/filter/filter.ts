import type { AttributePath } from '../schema/attribute.ts';

export const comparisons = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type Comparison = (typeof comparisons)[number];

/**
 * A parsed filter (RFC 7644, section 3.4.2.2). Plain JSON, because it is part of mutations. Values have the type of their attribute. A
 * comparison of a multi-valued attribute is true if it is true for one of its values. `ne` means "not eq", so it is true if nothing is set;
 * every other comparison is false then. `eq null` means "not present". A complex attribute without a sub-attribute is compared by its
 * `value`. Text is compared by code points, lower-cased unless the attribute is `caseExact`.
 */
export type Filter =
  | { kind: 'and' | 'or'; terms: Filter[] }
  | { kind: 'not'; term: Filter }
  | { kind: 'present'; path: AttributePath }
  | { kind: 'compare'; path: AttributePath; operator: Comparison; value: string | number | boolean | null }
  /** `emails[type eq "work"]`: one value that matches the whole filter. Paths inside name sub-attributes in `attribute`. */
  | { kind: 'element'; path: AttributePath; filter: Filter };

/** `emails[type eq "work"].value`: `filter` selects values of `path`, and `path.sub` names a sub-attribute of each. */
export interface Target {
  path: AttributePath;
  filter?: Filter;
}
