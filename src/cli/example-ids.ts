/** Ids as they look: for examples, in help and in what is said to whoever mistyped. */
export const examples = {
  directory: '0197a3c4-5b1e-7c3a-9f00-2d4b6a8c0e11',
  user: '0197a3c4-9d2f-7a10-8c55-7e1b3f5d9a20',
  group: '0197a3c5-11b3-7f42-a6d8-90c2e4f60b31',
  event: '0197a3d0-2f6c-7b85-b1a4-6c8e0f2a4d53',
  delivery: 'msg_4rP9dXo2Qm7LkTz0VbNcYfGhJsA',
  replay: '0197a3d4-8e11-7d27-9c3b-5f7a9b1d3e64',
  run: '0197a3e1-40b7-7e93-8d25-1a3c5e7f9b86',
} as const;
