/**
 * Puts each operation after those it depends on, and leaves the rest in the order of the request: Tarjan's strongly connected
 * components. Those that depend on each other keep their order among themselves.
 */
export function orderByDependency(dependsOn: readonly (readonly number[])[]): number[] {
  const order: number[] = [];
  const open: number[] = [];
  const seenAt: (number | undefined)[] = [];
  const isDone: boolean[] = [];
  let count = 0;

  for (const index of dependsOn.keys()) if (seenAt[index] === undefined) visit(index);
  return order;

  /** Returns the earliest operation still open that this one leads to. */
  function visit(index: number): number {
    const at = count++;
    seenAt[index] = at;
    open.push(index);
    let earliest = at;
    for (const other of dependsOn[index]!) if (!isDone[other]) earliest = Math.min(earliest, seenAt[other] ?? visit(other));
    if (earliest === at) {
      const circle = open.splice(open.lastIndexOf(index)).sort((one, other) => one - other);
      for (const member of circle) isDone[member] = true;
      order.push(...circle);
    }
    return earliest;
  }
}
