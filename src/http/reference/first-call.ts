import { curlCommand } from './curl-command.ts';
import type { DescribedDocument } from '../openapi/described.ts';
import { escape } from './escape.ts';
import type { ListedOperation } from './list-operations.ts';

/** What a reader does before anything else: all examples want the same two variables. */
export function firstCall(document: DescribedDocument, operations: ListedOperation[]): string {
  const [server] = document.servers ?? [];
  if (!server) return '';
  const first = operations.find(({ operationId }) => operationId === 'directories.listAll');
  return `<section>
<h2 id="first-call">A first call</h2>
<p>This service is at <code>${escape(server.url)}</code>. Say so to your shell, together with a key of the service: one of those in <code>API_KEYS</code>, or what <code>.rollcall/api-key</code> holds where <code>npm start</code> made one.</p>
<pre tabindex="0"><code>${escape(`export ROLLCALL_URL=${server.url.replace(/\/+$/, '')}\nexport ROLLCALL_API_KEY=…`)}</code></pre>
${first ? `<p>Then ask which directories there are. A new service answers with an empty list.</p>\n<pre tabindex="0"><code>${escape(curlCommand(document, first))}</code></pre>` : ''}
<p>The examples on this page want these two variables, and others by their names: <code>$DIRECTORY_ID</code> is the <code>id</code> of a directory, and <code>$SCIM_SECRET</code> its <code>scim.secret</code>.</p>
</section>`;
}
