import type { Context, Middleware } from 'koa';
import type { ErrorCode } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import { respondToErrors } from '../server/errors.ts';
import type { MessageKey } from './languages/en.ts';
import { readLanguage } from './languages/languages.ts';
import { createView, sendSetupPage } from './render.ts';

/** Links that have expired, were revoked or never existed get the same page. */
const deadCodes = new Set<ErrorCode>(['not_found', 'unauthorized']);

/** Writes errors as pages in the language of the browser. They disclose nothing about the link. */
export const setupPageErrors = (log: Logger): Middleware =>
  respondToErrors(log, (ctx, { code }) => {
    if (deadCodes.has(code)) return sendText(ctx, 'linkDeadTitle', 'linkDeadText', 404);
    if (code === 'rate_limited') return sendText(ctx, 'tooManyTitle', 'tooManyText', 429);
    sendText(ctx, 'failedTitle', 'failedText', ctx.status);
  });

function sendText(ctx: Context, titleKey: MessageKey, textKey: MessageKey, status: number): void {
  const view = createView({ ...readLanguage(ctx), prefix: '', root: '', branding: {} });
  const title = view.say(titleKey);
  sendSetupPage(ctx, view, { title, main: `<h1>${title}</h1>\n<p>${view.say(textKey)}</p>` });
  ctx.status = status;
}
