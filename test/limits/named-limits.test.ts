import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { packageRoot } from '../../src/paths.ts';

/** Errors with the status 413, 429, 503 or with `tooMany`, and their sentences. What gets its sentence from elsewhere is not found. */
const errorsOfLimits =
  /(?:new AppError\(\s*'(?:payload_too_large|rate_limited|unavailable)',|\b(?:tooLarge|tooMany|OverBudgetError)(?: : \w+\))?\(|\bstatus: (?:413|429|431|503), detail:)\s*(?:`([^`]+)`|'([^']+)')/g;
const namesItsLimit = /\b[A-Z]+(?:_[A-Z]+)+\b|fixed limit|\$\{(?:setting|describe|reason)/;

/** What is unavailable for another reason than a limit. */
const outages = new Set([
  'The attributes of this product are in use by an import, a sync or another change. Nothing was changed; try again in a minute.',
  'Others are changing the role table. Nothing was changed; try again.',
  'The caller has disconnected.',
  'The caller has left.',
  'The snapshot was closed.',
  'Rollcall is stopping in this process: begin again.',
  'The store of the limits does not respond; try again.',
  'The workflow runs in another process.',
  'The workflow service does not respond; try again.',
  'Temporal did not accept the workflow.',
]);
const isOutage = (sentence: string) => outages.has(sentence) || /^(No response from|Lost the connection to) /.test(sentence);

const findSentences = (source: string) => [...source.matchAll(errorsOfLimits)].map(([, template, text]) => template ?? text!);

it('each error of a limit names the setting, or says that the limit is fixed', () => {
  const names = readdirSync(join(packageRoot, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const sentences = names.flatMap((name) => findSentences(readFileSync(join(packageRoot, 'src', name), 'utf8')));
  expect(sentences.length).toBeGreaterThan(30);
  expect(sentences.filter((sentence) => !namesItsLimit.test(sentence) && !isOutage(sentence))).toEqual([]);
});

it.each([
  ["throw new AppError('rate_limited', `At most ${max} may wait`)", ['At most ${max} may wait']],
  ["throw new AppError(\n'unavailable',\n'Too many wait',\n)", ['Too many wait']],
  ["(isFilter ? tooMany : invalidPath)('It is too long')", ['It is too long']],
  ['throw tooLarge(`It has ${count}`)', ['It has ${count}']],
  ["{ status: 413, detail: 'It is too large' }", ['It is too large']],
  ["throw new AppError('not_found', 'There is none.')", []],
])('finds the sentences in %s', (source, sentences) => {
  expect(findSentences(source)).toEqual(sentences);
});
