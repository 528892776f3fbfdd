import { ProviderError } from '../../directory/sync/provider.ts';

export class AnswerTooLarge extends ProviderError {
  constructor() {
    super('unreadable', "Google's answer is too large.");
  }
}
