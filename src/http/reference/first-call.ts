import type { DescribedDocument } from '../openapi/described.ts';
import { escape } from '../escape.ts';
import type { ListedOperation } from './list-operations.ts';
import { toSampleRequest } from './sample-request.ts';
import { codeBlock, samples } from './samples.ts';

/** The first step for a reader: all examples use the same two variables. */
export function firstCall(document: DescribedDocument, operations: ListedOperation[]): string {
  const [server] = document.servers ?? [];
  if (!server) return '';
  const first = operations.find(({ operationId }) => operationId === 'directories.listAll');
  return `<section>
<h2 id="first-call">Your first request</h2>
<p>The address of this service is <code>${escape(server.url)}</code>. Set it in your shell, together with an API key: one of <code>API_KEYS</code>, or the content of <code>.rollcall/api-key</code>, which <code>npm start</code> creates.</p>
${codeBlock(`export ROLLCALL_URL=${server.url.replace(/\/+$/, '')}\nexport ROLLCALL_API_KEY=…`)}
${first ? `<p>Then list the directories. A new service returns an empty list.</p>\n${samples(toSampleRequest(document, first), 'the first request')}` : ''}
<p>The examples on this page use these two variables, and others that are named after parameters: <code>$DIRECTORY_ID</code> is the <code>id</code> of a directory, and <code>$SCIM_SECRET</code> its <code>scim.secret</code>. TypeScript uses <code>rollcall/client</code>, the typed client, and <code>fetch</code> for the operations that it does not have. Python uses the package <code>requests</code>.</p>
</section>`;
}
