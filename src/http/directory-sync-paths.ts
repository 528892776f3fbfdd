/** `/dsync` is what the ancestor's applications also know it by. */
const prefixes = ['/api/v1/directory-sync', '/api/v1/dsync'];

/** Both addresses of a part of the JSON API. */
export const directorySyncPaths = (path = '') => prefixes.map((prefix) => `${prefix}${path}`);
