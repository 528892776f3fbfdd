/** What is true of all operations. Markdown. */
export const introduction = `Identity providers push users and groups by SCIM 2.0, or a hosted provider is read; applications read them here, and are told of every change, in order, by signed webhooks or by the feed of events.

**The JSON API** wants \`Authorization: Api-Key <key>\`. Its answers have the form \`{ "data": …, "error": … }\`, with \`null\` in one of the two. An error has a stable \`code\`, a \`message\` for people, and the \`field\` at fault where there is one.

**SCIM** wants the directory's secret: \`Authorization: Bearer <secret>\`. It answers in SCIM's own form.

**Other names.** \`/api/v1/dsync\` is another name of \`/api/v1/directory-sync\`, for all addresses below it.

**Other methods.** \`HEAD\` is answered wherever \`GET\` is, and \`OPTIONS\` with 204 and \`Allow\`. Any other method gets 405 with \`Allow\`.

**What is no request.** What can not be read as HTTP is answered with 400, a request that does not arrive in time with 408, a chunk that says too much of itself with 413, and a head of more than 16 KiB with 431, in an error of both forms: \`Unreadable\`.

**Every answer** has an \`X-Request-Id\`, under which the log tells of the request; a request may bring its own.

**Lists** take \`pageOffset\` and \`pageLimit\`: 50 items if nothing is said, at most 1000.
`;
