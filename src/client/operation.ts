/** One operation of the service, from the generated table. */
export interface Operation {
  method: string;
  path: string;
  /** The names in the path, in order: the first arguments of the call. */
  pathParameters: readonly string[];
  /** The argument after them. */
  takes: 'query' | 'body' | 'nothing';
}
