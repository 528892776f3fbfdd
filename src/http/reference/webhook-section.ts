import { hrefOf, idOf } from './anchors.ts';
import { bodySection } from './body-section.ts';
import type { Answer, DescribedDocument, Operation } from '../openapi/described.ts';
import { escape } from './escape.ts';
import { inline, prose } from './prose.ts';
import { parameterTable } from './schema-table.ts';

/** Every request that others are sent. */
export const listWebhooks = ({ webhooks = {} }: DescribedDocument): Operation[] =>
  Object.values(webhooks).flatMap((item) => Object.values(item));

export const webhookSections = (document: DescribedDocument, webhooks: Operation[]): string =>
  webhooks.length === 0
    ? ''
    : `<section>
<h2 id="webhooks">Webhooks</h2>
<p>What this service sends to an address of yours.</p>
${webhooks.map((webhook) => webhookSection(document, webhook)).join('\n')}
</section>`;

const webhookSection = (
  document: DescribedDocument,
  { operationId, summary, description, parameters = [], requestBody, responses }: Operation,
): string => `<article id="${idOf(operationId)}" class="operation">
<h3><a class="self" href="${hrefOf(operationId)}">${escape(operationId)}</a></h3>
<p class="address"><span class="method post">POST</span> your address</p>
${summary ? `<p class="summary">${inline(summary)}</p>` : ''}
${prose(description)}
${parameters.length > 0 ? `<h4>Headers</h4>\n${parameterTable(parameters.map((header) => ({ ...header, in: '' })))}` : ''}
${requestBody ? bodySection(document, requestBody, 'answered') : ''}
<h4>What your answer means</h4>
${answerTable(Object.entries(responses).toSorted(([one], [other]) => rankOf(one) - rankOf(other)))}
</article>`;

const answerTable = (answers: [string, Answer][]): string => `<table class="meanings">
<caption>What your answer means</caption>
<thead><tr><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${answers.map(([status, { description }]) => `<tr><th scope="row">${statusOf(status)}</th><td>${inline(description)}</td></tr>`).join('\n')}
</tbody>
</table>`;

const statusOf = (status: string) =>
  status === 'default' ? 'Anything else' : `<span class="status status-${escape(status.charAt(0))}">${escape(status)}</span>`;

/** What is hoped for comes first, though numbers stand first in an object. */
const rankOf = (status: string) => ['2XX', '1XX', '3XX', '4XX', '5XX', 'default'].indexOf(status.replace(/^(\d)\d\d$/, '$1XX'));
