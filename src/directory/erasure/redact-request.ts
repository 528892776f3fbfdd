import { isObject, parseJson } from '../../scim/json.ts';
import { foldCase } from '../../scim/text.ts';
import type { RecordedRequest } from '../recorded-requests/recorded-request.ts';
import { normalize } from '../resources/resource-ids.ts';
import { addressesOf } from '../resources/addresses-of.ts';
import type { Person } from './find-person.ts';

/**
 * Removes from a recorded request what may be about others. Returns undefined if the request does not name the person. Requests to the person's
 * own path, and requests that create the person, stay whole. Others lose their body and detail, and their query unless the path or query names
 * the person.
 */
export function redactRequest(request: RecordedRequest, person: Person): RecordedRequest | undefined {
  const { path, body = '', detail = '' } = request;
  if (isAboutPerson(request, person)) return request;
  if (isInPath(decode(path), person)) return { ...request, body: undefined, detail: undefined };
  if (!isInText(`${body}\n${detail}`, person)) return undefined;
  return { ...request, path: path.split('?')[0]!, body: undefined, detail: undefined };
}

/** Compares whole values: an external ID may be as short as `7`. */
function isAboutPerson({ path, body }: RecordedRequest, { userId, publicId, values, externalIds }: Person): boolean {
  const [, id] = /^\/+users(?:\/+([^/]+))?\/*$/i.exec(decode(path.split('?')[0]!)) ?? [undefined, ''];
  if (id === '') return false;
  if (id !== undefined) return [publicId, userId].includes(normalize(id));
  const user = body === undefined ? undefined : parseJson(body);
  if (!isObject(user)) return false;
  const { userName, externalId, emails } = user;
  return (
    [userName, ...addressesOf(emails)].some((value) => typeof value === 'string' && values.includes(foldCase(value))) ||
    (typeof externalId === 'string' && externalIds.includes(externalId))
  );
}

/** Whether a path segment or a quoted filter value is a name of the person. */
function isInPath(path: string, person: Person): boolean {
  const [pathname, query = ''] = [path.split('?')[0]!, path.slice(path.indexOf('?') + 1 || path.length)].map(foldCase);
  return namesOf(person).some((name) => pathname!.split('/').includes(name) || query.includes(`"${name}"`));
}

/** Whether the text contains a name of the person as a whole word. */
function isInText(text: string, person: Person): boolean {
  const folded = foldCase(text);
  return namesOf(person).some((name) => containsWord(folded, name));
}

const namesOf = ({ publicId, userId, values, externalIds }: Person) => [publicId, userId, ...values, ...externalIds].map(foldCase);

function containsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    if (
      !/[\p{L}\p{N}_.@-]$/u.test(text.slice(Math.max(0, at - 1), at)) &&
      !/^(?:[\p{L}\p{N}_@-]|\.[\p{L}\p{N}])/u.test(text.slice(end, end + 2))
    )
      return true;
  }
  return false;
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
