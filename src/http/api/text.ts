import { z } from 'zod';
import { isCleanText } from '../../scim/text.ts';

/** Text that Postgres and receivers of webhooks can hold. */
export const text = z.string('must be a string').refine(isCleanText, 'must not contain NUL characters or lone surrogates');
export const shortText = text.trim().min(1, 'must not be empty').max(200, 'may have at most 200 characters');
