type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'
  | 'invalidVers'
  | 'sensitive'
  | 'invalidCursor'
  | 'expiredCursor'
  | 'invalidCount';

/** The content of a SCIM error (RFC 7644, section 3.12). */
export interface ScimErrorDetails {
  status: number;
  scimType?: ScimType;
  detail: string;
}

export class ScimError extends Error {
  override readonly name: string = 'ScimError';
  readonly details: ScimErrorDetails;
  constructor(details: ScimErrorDetails) {
    const detail = cut(details.detail);
    // A Bulk request may throw a thousand errors: stack traces would take too long.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(detail);
    Error.stackTraceLimit = stackTraceLimit;
    this.details = { ...details, detail };
  }
}

/** Messages may quote names and paths of the request, and the outcomes of all Bulk operations are stored. */
const maxDetail = 500;
const cut = (text: string) => (text.length > maxDetail ? `${text.slice(0, maxDetail).toWellFormed()}…` : text);

/** The whole request is too expensive. This is not an error of one operation: a Bulk request ends, and nothing is applied. */
export class OverBudgetError extends ScimError {
  override readonly name = 'OverBudgetError';
  constructor(detail: string) {
    super({ status: 413, detail });
  }
}

export const invalidSyntax = (detail: string) => new ScimError({ status: 400, scimType: 'invalidSyntax', detail });
export const invalidValue = (detail: string) => new ScimError({ status: 400, scimType: 'invalidValue', detail });
export const invalidFilter = (detail: string) => new ScimError({ status: 400, scimType: 'invalidFilter', detail });
export const invalidPath = (detail: string) => new ScimError({ status: 400, scimType: 'invalidPath', detail });
export const noTarget = (detail: string) => new ScimError({ status: 400, scimType: 'noTarget', detail });
export const mutability = (detail: string) => new ScimError({ status: 400, scimType: 'mutability', detail });
export const tooMany = (detail: string) => new ScimError({ status: 400, scimType: 'tooMany', detail });
export const invalidCursor = (detail: string) => new ScimError({ status: 400, scimType: 'invalidCursor', detail });
export const expiredCursor = (detail: string) => new ScimError({ status: 400, scimType: 'expiredCursor', detail });
export const invalidCount = (detail: string) => new ScimError({ status: 400, scimType: 'invalidCount', detail });
export const tooLarge = (detail: string) => new ScimError({ status: 413, detail });
export const notFound = (detail: string) => new ScimError({ status: 404, detail });

/** The error response of RFC 7644, section 3.12. The status is a string. */
export const toErrorBody = ({ status, scimType, detail }: ScimErrorDetails) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: String(status),
  ...(scimType && { scimType }),
  detail,
});
