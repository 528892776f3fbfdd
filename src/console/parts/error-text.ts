import type { ClientError } from '../../client/result.ts';

/** The client's own texts are for whoever writes a program, and those of the API name its fields. */
const texts: Record<string, string> = {
  unreachable: 'Rollcall did not respond. Check your connection, and try again.',
  invalid_response: 'The response is not from Rollcall. A proxy in front of it may have answered: try again, or ask who runs it.',
  needs_confirmation:
    'The sync would remove more than is usual, and has changed nothing. Look at what it would remove, and confirm it. To refuse, do nothing.',
};

export const textOf = ({ code, message }: Pick<ClientError, 'code' | 'message'>): string =>
  Object.hasOwn(texts, code) ? texts[code]! : message;
