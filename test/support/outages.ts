import { freeze } from './process-tree.ts';

interface Server {
  pid(): number;
  kill(): Promise<void>;
}

/** The ways to take a server down. Each returns a function that brings it back. */
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
