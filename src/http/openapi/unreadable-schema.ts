import { errorResponseSchema } from '../api/error-schema.ts';
import { scimErrorSchema } from '../scim/schemas.ts';

/** The path may be unknown, and so the format of the error: it has both. */
export const unreadableSchema = scimErrorSchema
  .extend(errorResponseSchema.shape)
  .meta({ id: 'UnreadableRequestError', description: 'The response to what is not a valid HTTP request: an error in both formats.' });
