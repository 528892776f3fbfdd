import Router from '@koa/router';
import { z } from 'zod';
import { readRequest } from '../../directory/directory-requests.ts';
import { AppError } from '../../errors.ts';
import type { Limits } from '../../limits/limits.ts';
import { answer } from '../envelope.ts';

export const projectQuery = z.object({
  project: z
    .string('must be given once')
    .optional()
    .meta({ description: 'The project; without it, the deployment’s own.', examples: ['default'] }),
});

/** What holds for a project, as the specification's tables show it. */
export function limitRoutes({ limits }: { limits: Pick<Limits, 'projects'> }): Router {
  const router = new Router();
  router.get('/api/v1/limits', (ctx) => {
    const { project: id } = readRequest(projectQuery, ctx.query);
    const project = id === undefined ? limits.projects.own : limits.projects.get(id);
    if (!project) throw new AppError('not_found', 'There is no such project.', { field: 'project' });
    const { plan, environment, buckets } = project;
    answer(ctx, { project: project.id, plan, environment, buckets });
  });
  return router;
}
