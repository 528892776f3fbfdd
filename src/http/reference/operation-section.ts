import { hrefOf, securityAnchor } from './anchors.ts';
import { bodySection } from './body-section.ts';
import { collapsibleArticle } from './collapsible.ts';
import { responsesSection } from './responses-section.ts';
import type { DescribedDocument, SecurityRequirement } from '../openapi/described.ts';
import { escape } from '../escape.ts';
import type { ListedOperation } from './list-operations.ts';
import { inline, prose } from './prose.ts';
import { toSampleRequest } from './sample-request.ts';
import { samples } from './samples.ts';
import { parameterTable } from './schema-table.ts';

export function operationSection(document: DescribedDocument, operation: ListedOperation): string {
  const { operationId, method, path, summary, description, security = [], parameters, requestBody, responses } = operation;
  return collapsibleArticle({
    anchor: operationId,
    className: 'operation',
    title: inline(summary ?? operationId),
    below: `<span class="address"><span class="method ${escape(method.toLowerCase())}">${escape(method)}</span> <code>${breakable(path)}</code></span>`,
    body: `<p class="operation-id"><code>${escape(operationId)}</code></p>
${prose(description)}
<p class="who">${whoMayCall(security)}${inTheClient(operation)}</p>
${samples(toSampleRequest(document, operation))}
${parameters.length > 0 ? `<h4>Parameters</h4>\n${parameterTable(parameters)}` : ''}
${requestBody ? bodySection(document, requestBody, 'request') : ''}
${responsesSection(responses)}`,
  });
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
