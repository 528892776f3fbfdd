import { hrefOf } from '../router.ts';

/** As many as the overview of the API lists. */
const maxListed = 50;

export const isOnlyFirst = (unhealthy: readonly unknown[]): boolean => unhealthy.length >= maxListed;

/** The overview has no second page, but the list of directories does. */
export const FirstOnly = () => (
  <p class="soft">
    These are among the first {maxListed} directories that need attention.{' '}
    <a href={hrefOf('/directories', { health: 'unhealthy' })}>Show all directories that need attention</a>
  </p>
);
