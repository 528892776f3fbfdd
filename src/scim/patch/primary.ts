import { isObject } from '../json.ts';

/** One value at most is the preferred one; a PATCH that makes another one so ends that of the last (RFC 7644, section 3.5.2). */
export function keepOnePrimary(values: unknown[], chosen: unknown): void {
  for (const value of values) if (value !== chosen && isObject(value) && value['primary'] === true) value['primary'] = false;
}
