import { hrefOf, idOf, securityAnchor } from './anchors.ts';
import { curlCommand } from './curl-command.ts';
import { bodySection } from './body-section.ts';
import { responsesSection } from './responses-section.ts';
import type { DescribedDocument, SecurityRequirement } from '../openapi/described.ts';
import { escape } from './escape.ts';
import type { ListedOperation } from './list-operations.ts';
import { inline, prose } from './prose.ts';
import { parameterTable } from './schema-table.ts';

export function operationSection(document: DescribedDocument, operation: ListedOperation): string {
  const { operationId, method, path, summary, description, security = [], parameters, requestBody, responses } = operation;
  return `<article id="${idOf(operationId)}" class="operation">
<h3><a class="self" href="${hrefOf(operationId)}">${inline(summary ?? operationId)}</a></h3>
<p class="operation-id"><code>${escape(operationId)}</code></p>
<p class="address"><span class="method ${escape(method.toLowerCase())}">${escape(method)}</span> <code>${breakable(path)}</code></p>
${prose(description)}
<p class="who">${whoMayCall(security)}${inTheClient(operation)}</p>
${parameters.length > 0 ? `<h4>Parameters</h4>\n${parameterTable(parameters)}` : ''}
${requestBody ? bodySection(document, requestBody, 'request') : ''}
${responsesSection(responses)}
<h4>Example</h4>
<pre tabindex="0"><code>${escape(curlCommand(document, operation))}</code></pre>
</article>`;
}

function whoMayCall(security: SecurityRequirement[]): string {
  const names = security.flatMap((requirement) => Object.keys(requirement));
  if (names.length === 0) return 'No authentication.';
  const links = [...new Set(names)].map((name) => `<a href="${hrefOf(securityAnchor(name))}">${escape(name)}</a>`);
  const isAlsoOpen = security.some((requirement) => Object.keys(requirement).length === 0);
  return `Requires ${links.join(' or ')}${isAlsoOpen ? ', except from a trusted proxy' : ''}.`;
}

/** Ids with a dot are methods of the typed client. */
function inTheClient({ operationId, path, parameters, requestBody }: ListedOperation): string {
  if (!operationId.includes('.')) return '';
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
  const hasQuery = parameters.some((parameter) => parameter.in === 'query');
  const given = [...names, ...(requestBody ? ['body'] : hasQuery ? ['query'] : [])];
  return ` In the typed client: <code>client.${escape(operationId)}(${escape(given.join(', '))})</code>.`;
}

/** A long path may break after a slash. */
const breakable = (path: string) => escape(path).replaceAll('/', '/<wbr>');
