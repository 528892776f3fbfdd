/** What applies to all operations. Markdown. */
export const introduction = `Identity providers push users and groups by SCIM 2.0, or a directory is pulled from Google Workspace. Applications read users and groups here, and get every change, in order, by signed webhooks or from the event feed.

**The JSON API** requires \`Authorization: Api-Key <key>\`. Its responses have the form \`{ "data": …, "error": … }\`, where one of the two is \`null\`. An error has a stable \`code\`, a \`message\` for people, and the invalid \`field\` where there is one.

**SCIM** requires the directory's secret: \`Authorization: Bearer <secret>\`. Its responses have the form that SCIM defines.

**Paths of Ory Polis.** \`/api/v1/dsync\` is an alias of \`/api/v1/directory-sync\`, \`/scim-requests\` of \`/requests\`, and \`/ServiceProviderConfigs\` of \`/ServiceProviderConfig\`.

**Methods.** \`HEAD\` is supported wherever \`GET\` is. \`OPTIONS\` returns 204 with \`Allow\`. Any other method fails with 405 and \`Allow\`.

**Invalid HTTP.** What is not a valid HTTP request fails with 400, a request that does not arrive in time with 408, a body with large chunk extensions with 413, and headers of more than 16 KiB with 431. The error has both forms: \`UnreadableRequestError\`.

**Every response** has an \`X-Request-Id\`, under which the log has the request. A request may bring its own.

**Lists** take \`offset\` and \`limit\`: 50 items by default, at most 1000. \`pageOffset\` and \`pageLimit\` are aliases.
`;
