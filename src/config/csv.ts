import { positive } from './fields.ts';

export const csvSettings = {
  DSYNC_CSV_MAX_FILE_BYTES: positive
    .max(1_073_741_824, 'at most 1073741824')
    .default(104_857_600)
    .describe('Bytes of each uploaded file of directories of type csv.'),
};
