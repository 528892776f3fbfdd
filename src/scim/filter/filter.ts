import type { AttributePath } from '../schema/attribute.ts';

export const comparisons = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type Comparison = (typeof comparisons)[number];

/**
 * A parsed filter (RFC 7644, section 3.4.2.2). Plain JSON: it travels with a mutation. Values have the type of their attribute.
 *
 * What it means: a comparison of a multi-valued attribute holds if it holds for one of its values; `ne` is "not eq", so it holds where
 * nothing is set; every other comparison does not. `eq null` is "not present". Without a sub-attribute, a complex attribute is
 * compared by its `value`. Text is compared by code points, lower-cased unless the attribute is `caseExact`.
 */
export type Filter =
  | { kind: 'and' | 'or'; terms: Filter[] }
  | { kind: 'not'; term: Filter }
  | { kind: 'present'; path: AttributePath }
  | { kind: 'compare'; path: AttributePath; operator: Comparison; value: string | number | boolean | null }
  /** `emails[type eq "work"]`: one value that fulfils all of it. Paths inside name sub-attributes, as `attribute`. */
  | { kind: 'element'; path: AttributePath; filter: Filter };
