import { hash } from 'node:crypto';
import { foldCase } from '../../scim/text.ts';
import type { ContinuedPage, PageRequest } from '../page.ts';
import type { Concern } from './concerned-users.ts';
import type { RecordedRequest, RequestFilter } from './recorded-request.ts';

export interface UserRequestStore {
  /** Keeps the newest requests of each user. Requests of a deleted directory are ignored. */
  addForUsers(requests: UserRequest[]): Promise<void>;
  /** Returns the requests that concerned one of the subjects, the newest first. */
  listForUser(
    directoryId: string,
    subjects: string[],
    page: PageRequest<string>,
    filter?: RequestFilter,
  ): Promise<ContinuedPage<FoundUserRequest, string>>;
}

/** A request that concerned one user, or several, without its body. It is kept for each of them, also when the body is not kept any more. */
export interface UserRequest extends Pick<
  RecordedRequest,
  'directoryId' | 'id' | 'at' | 'method' | 'path' | 'status' | 'durationMs' | 'requestId'
> {
  /** Absent if several users are concerned: it may name any of them. */
  detail: string | undefined;
  subjects: string[];
  isShared: boolean;
}

/** A request that concerned a user, as it is kept: with its body while it is one of the last requests of the directory. */
export interface FoundUserRequest extends RecordedRequest {
  isShared: boolean;
}

/** For each user, the newest are kept. */
export const keptPerUser = 50;

/** Under what a request is found by the ID or a name of a user. */
export function subjectOf(name: string): string {
  const hex = hash('sha256', foldCase(name));
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** The names of a create are noted only if it failed: a user that exists is found by its ID. */
export function toUserRequests(request: Omit<UserRequest, 'subjects' | 'isShared'>, concerns: readonly Concern[]): UserRequest[] {
  return concerns.flatMap(({ ids, names, isShared, result }) => {
    const { status, detail } = result ?? request;
    const subjects = [...new Set([...ids, ...(status >= 400 ? names : [])].map(subjectOf))];
    if (subjects.length === 0) return [];
    const common = { ...request, status, subjects, isShared };
    return [isShared ? { ...common, path: request.path.split('?')[0]!, detail: undefined } : { ...common, detail }];
  });
}
