import type { ClientError } from '../../client/result.ts';

/** The client's own texts are for whoever writes a program, and those of the API name its fields. */
const texts: Record<string, string> = {
  unreachable: 'Rollcall did not respond. Check your connection, and try again.',
  invalid_response: 'The response is not from Rollcall, but perhaps from a proxy in front of it. Try again, or ask the operator.',
};

export const textOf = ({ code, message }: Pick<ClientError, 'code' | 'message'>): string =>
  Object.hasOwn(texts, code) ? texts[code]! : message.replace(/start a sync with confirm set to [\w-]+/, 'confirm it here');
