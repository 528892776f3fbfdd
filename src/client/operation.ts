/** One request of the service, as the generated table describes it. */
export interface Operation {
  method: string;
  path: string;
  /** The names in the path, in their order: the first arguments of the call. */
  pathParameters: readonly string[];
  /** What the argument after them is. */
  takes: 'query' | 'body' | 'nothing';
}
