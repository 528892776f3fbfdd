import { ScimError } from '../errors.ts';

export const noTarget = (detail: string) => new ScimError({ status: 400, scimType: 'noTarget', detail });
export const mutability = (detail: string) => new ScimError({ status: 400, scimType: 'mutability', detail });
