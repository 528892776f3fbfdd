/** SQL for the size of a row of `users` or `groups`, as quotas count it. */
export const documentBytes = `octet_length(cast(resource as text)) + coalesce(octet_length(cast(pushed as text)), 0)`;
