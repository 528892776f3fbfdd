import { freeze } from './process-tree.ts';

interface Server {
  pid(): number;
  kill(): Promise<void>;
}

/** How a server of ours goes away: each takes it away, and gives back what brings it back. */
export const outages = ({ server, startAgain }: { server: () => Server; startAgain: () => Promise<void> }) => [
  {
    how: 'hangs',
    takeDown: async (): Promise<() => void | Promise<void>> => (await freeze(server().pid())).thaw,
  },
  {
    how: 'is killed and stays down',
    takeDown: async (): Promise<() => void | Promise<void>> => {
      await server().kill();
      return startAgain;
    },
  },
];
