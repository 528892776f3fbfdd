import type { ScimRefusal } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Versions } from '../preconditions.ts';
import type { ResourceTypeName } from '../schema/attribute.ts';

export const bulkMethods = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type BulkMethod = (typeof bulkMethods)[number];

/** Part of a bulk request (RFC 7644, section 3.7), with an id in place of each `bulkId:`. Plain JSON. */
export interface BulkOperation {
  /** Its place in the request. */
  index: number;
  method: BulkMethod;
  bulkId?: string;
  resourceType: ResourceTypeName;
  resourceId: string;
  /** It creates the resource, under this id. */
  isNew: boolean;
  ifMatch?: Versions;
  /** Absent in a DELETE only. */
  data?: JsonObject;
  /** The creations that it refers to, by index. They come first, unless they refer to each other. */
  dependsOn: number[];
  refusal?: undefined;
}

/** One that cannot be carried out, whatever the others do. */
export interface InvalidBulkOperation {
  index: number;
  /** As far as it could be read. */
  method?: string;
  bulkId?: string;
  resourceType?: ResourceTypeName;
  resourceId?: string;
  refusal: ScimRefusal;
}

export interface BulkRequest {
  /** After so many refusals, what is left is not begun. */
  failOnErrors?: number;
  operations: (BulkOperation | InvalidBulkOperation)[];
  /** The order to carry them out in, by index. */
  order: number[];
}
