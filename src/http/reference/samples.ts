import { curlSample } from './curl-sample.ts';
import { escape } from '../escape.ts';
import { pythonSample } from './python-sample.ts';
import type { SampleRequest } from './sample-request.ts';
import { typescriptSample } from './typescript-sample.ts';

const languages = [
  { value: 'curl', title: 'curl', write: curlSample },
  { value: 'typescript', title: 'TypeScript', write: typescriptSample },
  { value: 'python', title: 'Python', write: pythonSample },
];

export const codeBlock = (code: string): string => `<pre tabindex="0"><code>${escape(code)}</code></pre>`;

/** One sample for each language. The style shows that of the chosen radio button; an old browser shows all of them. */
export const samples = (request: SampleRequest, group = request.operationId): string => `<fieldset class="samples">
<legend>Request</legend>
${languages
  .map(
    ({ value, title }, place) =>
      `<label><input type="radio" name="${escape(`language of ${group}`)}" value="${value}"${place === 0 ? ' checked' : ''}> ${title}</label>`,
  )
  .join('\n')}
${languages.map(({ value, write }) => `<div class="${value}">${codeBlock(write(request))}</div>`).join('\n')}
</fieldset>`;
