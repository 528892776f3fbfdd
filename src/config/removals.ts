import { z } from 'zod';
import { notNegative } from './fields.ts';

const percent = z.coerce.number('a number from 0 to 100').min(0, 'a number from 0 to 100').max(100, 'a number from 0 to 100').optional();

/** The removal guard of all pulled directories. */
export const removalSettings = {
  DSYNC_REMOVAL_PERCENT: percent.describe(
    'A sync that would remove a larger percentage of the users, groups or memberships waits for confirmation; 100 turns this off; default: 30.',
  ),
  DSYNC_REMOVAL_COUNT: notNegative
    .optional()
    .describe('Removals up to this number never wait for confirmation, whatever their percentage; default: 10.'),
  DSYNC_GOOGLE_REMOVAL_PERCENT: percent.describe('Former name of DSYNC_REMOVAL_PERCENT.'),
  DSYNC_GOOGLE_REMOVAL_COUNT: notNegative.optional().describe('Former name of DSYNC_REMOVAL_COUNT.'),
};
