import { bodySection } from './body-section.ts';
import { collapsibleArticle, collapsibleSection } from './collapsible.ts';
import type { DescribedDocument, Operation, Response } from '../openapi/described.ts';
import { escape } from '../escape.ts';
import { guides } from './guides.ts';
import { inline, prose } from './prose.ts';
import { parameterTable } from './schema-table.ts';

/** Every request that is sent to receivers. */
export const listWebhooks = ({ webhooks = {} }: DescribedDocument): Operation[] =>
  Object.values(webhooks).flatMap((item) => Object.values(item));

export const webhookSections = (document: DescribedDocument, webhooks: Operation[]): string =>
  webhooks.length === 0
    ? ''
    : collapsibleSection({
        anchor: 'webhooks',
        title: 'Webhooks',
        description: 'The requests that this service sends to your receiver.',
        guides: guides.Webhooks,
        body: webhooks.map((webhook) => webhookSection(document, webhook)).join('\n'),
      });

const webhookSection = (
  document: DescribedDocument,
  { operationId, summary, description, parameters = [], requestBody, responses }: Operation,
): string =>
  collapsibleArticle({
    anchor: operationId,
    className: 'operation',
    title: inline(summary ?? operationId),
    below: '<span class="address"><span class="method post">POST</span> your webhook address</span>',
    body: `${prose(description)}
${parameters.length > 0 ? `<h4>Headers</h4>\n${parameterTable(parameters.map((header) => ({ ...header, in: '' })))}` : ''}
${requestBody ? bodySection(document, requestBody, 'response') : ''}
<h4>Response of the receiver</h4>
${responseTable(Object.entries(responses).toSorted(([one], [other]) => rankOf(one) - rankOf(other)))}`,
  });

const responseTable = (responses: [string, Response][]): string => `<table class="meanings">
<caption>Response of the receiver</caption>
<thead><tr><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${responses.map(([status, { description }]) => `<tr><th scope="row">${statusOf(status)}</th><td>${inline(description)}</td></tr>`).join('\n')}
</tbody>
</table>`;

const statusOf = (status: string) =>
  status === 'default' ? 'Anything else' : `<span class="status status-${escape(status.charAt(0))}">${escape(status)}</span>`;

/** Success comes first. */
const rankOf = (status: string) => ['2XX', '1XX', '3XX', '4XX', '5XX', 'default'].indexOf(status.replace(/^(\d)\d\d$/, '$1XX'));
