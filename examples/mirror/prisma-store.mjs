// The same store as postgres-store.mjs, with Prisma. The models are in docs/guides/mirror.md.

/** `prisma` is a `PrismaClient`. */
export async function openPrismaStore(prisma, directoryId) {
  await prisma.rollcallMirror.upsert({ where: { directoryId }, create: { directoryId }, update: {} });

  return {
    async readCursor() {
      const mirror = await prisma.rollcallMirror.findUnique({ where: { directoryId } });
      return mirror?.cursor ?? undefined;
    },

    async beginSnapshot(snapshotId) {
      await prisma.rollcallMirror.update({ where: { directoryId }, data: { snapshotId } });
    },

    writeSnapshot: (snapshotId, rows) =>
      transactionIf({ snapshotId }, { snapshotId }, async (tx) => {
        for (const { type, data } of rows) await write(tx, type, data, { snapshotId });
      }),

    endSnapshot: (snapshotId, cursor) =>
      transactionIf({ snapshotId }, { cursor }, async (tx) => {
        const gone = { where: { directoryId, OR: [{ snapshotId: null }, { snapshotId: { not: snapshotId } }] } };
        await tx.rollcallMembership.deleteMany(gone);
        await tx.rollcallUser.deleteMany(gone);
        await tx.rollcallGroup.deleteMany(gone);
      }),

    applyEvents: (events, { from, to }) =>
      transactionIf({ cursor: from }, { cursor: to }, async (tx) => {
        for (const event of events) await apply(tx, event);
      }),
  };

  /** `updateMany` both compares the progress and locks its row until the commit. */
  function transactionIf(expected, change, work) {
    return prisma.$transaction(
      async (tx) => {
        const { count } = await tx.rollcallMirror.updateMany({ where: { directoryId, ...expected }, data: change });
        if (count === 1) await work(tx);
        return count === 1;
      },
      { timeout: 60_000 },
    );
  }

  async function apply(tx, { event, data }) {
    switch (event) {
      case 'user.created':
      case 'user.updated':
      case 'user.deactivated':
      case 'user.reactivated':
        return write(tx, 'user', data);
      case 'user.deleted':
        await tx.rollcallMembership.deleteMany({ where: { directoryId, userId: data.id } });
        return tx.rollcallUser.deleteMany({ where: { directoryId, id: data.id } });
      case 'group.created':
      case 'group.updated':
        return write(tx, 'group', data);
      case 'group.deleted':
        await tx.rollcallMembership.deleteMany({ where: { directoryId, groupId: data.id } });
        return tx.rollcallGroup.deleteMany({ where: { directoryId, id: data.id } });
      case 'group.user_added':
        return write(tx, 'membership', { group_id: data.group.id, user_id: data.id });
      case 'group.user_removed':
        return tx.rollcallMembership.deleteMany({ where: { directoryId, groupId: data.group.id, userId: data.id } });
      default:
        return undefined;
    }
  }

  /** Events have no `mark`, and keep that of a snapshot which is being read. */
  function write(tx, type, data, mark = {}) {
    if (type === 'user') {
      const key = { directoryId, id: data.id };
      const row = { email: data.email, active: data.active, ...mark };
      return tx.rollcallUser.upsert({ where: { directoryId_id: key }, create: { ...key, ...row }, update: row });
    }
    if (type === 'group') {
      const key = { directoryId, id: data.id };
      const row = { name: data.name, ...mark };
      return tx.rollcallGroup.upsert({ where: { directoryId_id: key }, create: { ...key, ...row }, update: row });
    }
    const key = { directoryId, groupId: data.group_id, userId: data.user_id };
    return tx.rollcallMembership.upsert({ where: { directoryId_groupId_userId: key }, create: { ...key, ...mark }, update: mark });
  }
}
