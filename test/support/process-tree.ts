import { listProcessTree, signalAll } from '../../src/embedded/processes.ts';

/** Suspends processes, as on a machine that hangs: connections stay open, and nothing responds. */
export async function freeze(pid: number): Promise<{ thaw(): Promise<void> }> {
  const tree = await listProcessTree(pid);
  signalAll(tree, 'SIGSTOP');
  return { thaw: () => Promise.resolve(signalAll(tree, 'SIGCONT')) };
}
