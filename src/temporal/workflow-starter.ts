import type { Client, WithWorkflowArgs, Workflow, WorkflowSignalWithStartOptions, WorkflowStartOptions } from '@temporalio/client';
import type { UpdateDefinition } from '@temporalio/common';
import type * as workflows from '../../workflows/index.ts';
import { workflowTaskTimeoutMs } from './timeouts.ts';

export type Workflows = Omit<typeof workflows, 'default'>;
type SignalWithStartOptions<T extends Workflow> = WithWorkflowArgs<T, WorkflowSignalWithStartOptions>;

/** Starts workflows by their names, which determine the types of their arguments. */
export const createWorkflowStarter = (client: Client) => ({
  start: <Type extends keyof Workflows>(type: Type, options: WorkflowStartOptions<Workflows[Type]>) =>
    client.workflow.start<Workflows[Type]>(type, options),

  signalWithStart: <Type extends keyof Workflows>(type: Type, options: SignalWithStartOptions<Workflows[Type]>) =>
    client.workflow.signalWithStart<Workflows[Type]>(type, options),
});

/** What a schedule starts. */
export const createScheduleAction = <Type extends keyof Workflows>(
  workflowType: Type,
  args: Parameters<Workflows[Type]>,
  { workflowId, taskQueue, directoryIds }: { workflowId: string; taskQueue: string; directoryIds?: string[] },
) => ({ type: 'startWorkflow' as const, workflowType, args, ...toOptions(workflowId, taskQueue, directoryIds) });

export const toOptions = (workflowId: string, taskQueue: string, directoryIds?: string[]) => ({
  workflowId,
  taskQueue,
  workflowTaskTimeout: workflowTaskTimeoutMs,
  ...(directoryIds && { searchAttributes: { DirectoryIds: directoryIds } }),
});

/** Workflows exist only inside their bundle, so a definition is built here from its name, and checked against the workflow's own type. */
export const signal = <Definition extends { type: 'signal'; name: string }>(name: Definition['name']) =>
  ({ type: 'signal', name }) as Definition;
export const update = <Definition extends UpdateDefinition<void>>(name: Definition['name']) => ({ type: 'update', name }) as Definition;
