import type { ScimErrorDetails } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Versions } from '../etag.ts';
import type { ResourceTypeName } from '../schema/attribute.ts';

export const bulkMethods = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type BulkMethod = (typeof bulkMethods)[number];

/** One operation of a Bulk request (RFC 7644, section 3.7), with IDs in place of `bulkId:` references. Plain JSON. */
export interface BulkOperation {
  /** Its index in the request. */
  index: number;
  method: BulkMethod;
  bulkId?: string;
  resourceType: ResourceTypeName;
  resourceId: string;
  /** Whether it creates the resource with this ID. */
  isNew: boolean;
  ifMatch?: Versions;
  /** It is absent only for DELETE. */
  data?: JsonObject;
  /** The indexes of the creates it refers to. They run first, unless they refer to each other. */
  dependsOn: number[];
  error?: undefined;
}

/** An operation that is invalid, whatever the others do. */
export interface InvalidBulkOperation {
  index: number;
  /** As far as it could be read. */
  method?: string;
  bulkId?: string;
  resourceType?: ResourceTypeName;
  resourceId?: string;
  error: ScimErrorDetails;
}

export interface BulkRequest {
  /** After this many errors, the remaining operations are not started. */
  failOnErrors?: number;
  operations: (BulkOperation | InvalidBulkOperation)[];
  /** The indexes in the order of execution. */
  order: number[];
}
