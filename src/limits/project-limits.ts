import { toSource } from './networks.ts';
import type { Decision, LimitedRequest } from './request.ts';
import type { Windows } from './windows.ts';

export interface ProjectLimitsDeps {
  windows: Windows;
}

/** The number of these keys is bounded: one per bucket of each project. */
export const projectKeys = 'project ';

/** Decides by the plan of the project. */
export function createProjectLimits({ windows }: ProjectLimitsDeps) {
  return function decide({ project, method, path, isOwn, isStranger, address, counted }: LimitedRequest): Promise<Decision> {
    const whose = isStranger ? `stranger ${toSource(address)}` : `${projectKeys}${project.id}`;
    const buckets = isOwn ? project.ownBucketsOf(method, path) : project.bucketsOf(method, path);
    const keys = buckets.map((limit) => ({ key: `${whose} ${limit.bucket}`, limit }));
    return windows.take(keys, counted).then((verdicts) => {
      const index = verdicts.findIndex(({ isAllowed }) => !isAllowed);
      const shown = Math.max(0, index);
      return { ...verdicts[shown]!, layer: 'project', bucket: buckets[shown]!.bucket };
    });
  };
}
