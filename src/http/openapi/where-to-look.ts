/** Of what is read across directories. */
export const whereToLook = {
  description: 'Wants `tenant` and `product`, for all their directories, or `directoryId`, for one; if all are given, all must fit.',
  refusals: { 404: 'There is no such directory, or nothing of this id in it.' },
};
