import { z } from 'zod';
import type { PreviewCounts } from '../../directory/attributes/preview-newest.ts';
import { count, field } from './schema-fields.ts';

export const sampleLimit = z
  .number('must be a number')
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .max(20, 'may be at most 20')
  .default(5)
  .meta({ description: 'How many users to show.', examples: [5] });

/** What every preview counts. */
export const countFields = {
  users: field(count, 'The users of the directory.', 120),
  checked: field(count, 'How many of them were looked at, newest first: at most 1,000, and fewer if they take too much work.', 120),
  is_partial: field(z.boolean(), 'Whether there are users that were not looked at.', false),
  would_update: field(count, 'How many of these would be told by a `user.updated`.', 7),
  estimated_updates: field(count, 'How many of all users would be told, if the others are like those that were looked at.', 7),
};

export const presentCounts = ({ users, checked, isPartial, changed, estimated }: PreviewCounts) => ({
  users,
  checked,
  is_partial: isPartial,
  would_update: changed,
  estimated_updates: estimated,
});
