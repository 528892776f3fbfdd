import { errorAnswer } from './error.ts';
import { scimError } from './scim.ts';

/** Its address may not be known, and so neither its dialect: it is an error in both. */
export const unreadable = scimError
  .extend(errorAnswer.shape)
  .meta({ id: 'Unreadable', description: 'What is answered to what is no request: an error in both forms.' });
