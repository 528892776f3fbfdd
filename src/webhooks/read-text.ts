import { StringDecoder } from 'node:string_decoder';
import type { Answer } from './post.ts';

/** As Postgres keeps text: valid, without NUL, and without the half of a character where it was cut. */
export function readText({ body, truncated }: Pick<Answer, 'body' | 'truncated'>): string {
  const text = truncated ? new StringDecoder('utf8').write(body) : body.toString();
  return text.replaceAll('\0', '\uFFFD');
}
