import { toErrorBody, type ScimErrorDetails } from '../errors.ts';
import { messageUrn } from '../message.ts';
import { toETag } from '../etag.ts';
import { resourceTypes } from '../schema/resource-types.ts';
import type { BulkOperation, InvalidBulkOperation } from './operation.ts';

/** The part of an operation that its result shows: everything except its data. */
export type DescribedOperation = Omit<InvalidBulkOperation, 'error'> & { error?: ScimErrorDetails | undefined };

/** The result of an operation. Operations that were not started have none. */
export interface BulkResult {
  operation: DescribedOperation;
  /** The error of an operation that was valid but failed. */
  error?: ScimErrorDetails;
  /** The version of the resource after the change. */
  version?: number;
}

/** The Bulk response (RFC 7644, section 3.7.3), in the order of the request. `baseUrl` is the directory's SCIM address. */
export const toBulkResponse = (baseUrl: string, results: BulkResult[]) => ({
  schemas: [messageUrn('BulkResponse')],
  Operations: results.toSorted((one, other) => one.operation.index - other.operation.index).map((result) => toEntry(baseUrl, result)),
});

function toEntry(baseUrl: string, { operation, version, ...rest }: BulkResult) {
  const { method, bulkId } = operation;
  const error = operation.error ?? rest.error;
  const location = error && method === 'POST' ? undefined : locate(baseUrl, operation);
  return {
    ...(method && { method }),
    ...(bulkId && { bulkId }),
    ...(version !== undefined && !error && { version: toETag(version) }),
    ...(location && { location }),
    status: String(error?.status ?? statuses[operation.method as BulkOperation['method']]),
    ...(error && { response: toErrorBody(error) }),
  };
}

function locate(baseUrl: string, { resourceType, resourceId }: BulkResult['operation']): string | undefined {
  const endpoint = resourceTypes.find(({ name }) => name === resourceType)?.endpoint;
  return endpoint && resourceId && `${baseUrl}${endpoint}/${encodeURIComponent(resourceId)}`;
}

const statuses = { POST: 201, PUT: 200, PATCH: 200, DELETE: 204 } satisfies Record<BulkOperation['method'], number>;
