import { invalidSyntax, mutability } from '../errors.ts';
import type { AttributePath, ResourceType } from '../schema/attribute.ts';
import { findAttribute } from '../schema/resolve.ts';
import { readElement, readValue } from '../read-value.ts';
import type { PatchOperation, Target } from './operation.ts';

/** What this service assigns is passed over in silence (providers send back what they read), and a password is never kept. */
export function isOurs({ extension, attribute }: AttributePath, type: ResourceType): boolean {
  if (extension !== undefined || attribute === undefined) return false;
  const { mutability: mayChange } = findAttribute({ attribute }, type) ?? {};
  return mayChange === 'readOnly' || mayChange === 'writeOnly' || attribute === 'schemas';
}

interface Given {
  op: PatchOperation['op'];
  target: Target;
  /** As it was sent. */
  name: string;
  value: unknown;
  hasValue: boolean;
}

/** One operation with its value read; none if there is nothing to do. */
export function readOperation({ op, target, name, value, hasValue }: Given, type: ResourceType): PatchOperation[] {
  const attribute = findAttribute(target.path, type);
  const isElement = target.filter !== undefined && target.path.sub === undefined;
  const read = isElement ? readElement(value, attribute, nameOf(target.path)) : readValue(value, attribute, nameOf(target.path));
  if (op === 'remove') {
    refuseRequired(target.path, type);
    if (!hasValue || !attribute?.multiValued || isElement) return [{ op, target }];
    // A list that is sent empty names nobody to remove.
    return read === undefined ? [] : [{ op, target, value: read }];
  }
  if (!hasValue && value === undefined) throw invalidSyntax(`${op} of ${name.slice(0, 60)} needs a value.`);
  if (read !== undefined) return [{ op, target, value: read }];
  if (op === 'add') return [];
  refuseRequired(target.path, type);
  return [{ op: 'remove', target }];
}

function refuseRequired(path: AttributePath, type: ResourceType): void {
  if (path.sub === undefined && findAttribute(path, type)?.required)
    throw mutability(`${nameOf(path)} is required: it can be replaced, not removed.`);
}

const nameOf = ({ extension, attribute, sub }: AttributePath) =>
  [extension === undefined ? attribute : (attribute ?? extension), sub].filter(Boolean).join('.');
