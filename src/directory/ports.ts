/** The interfaces that the domain uses and other folders implement (`store`, `webhooks`, `temporal`). `app` connects them. */
export type { ChangeStore, Changed } from './changes/snapshot.ts';
export type { WakeDelivery } from './delivery/ports.ts';
export type { DeletionStore, DirectoryHealth, DirectoryOwner, DirectorySelector, DirectoryStore } from './directories/ports.ts';
export type { GroupWithMembers } from './resources/group.ts';
export type { Caller, Intake, StagedMutationStore, SubmittedMutation } from './intake/ports.ts';
export type { PageAcrossDirectories, Page } from './page.ts';
export type { RecordedRequestStore } from './recorded-requests/recorded-request.ts';
export type { GroupStore, OfDirectory, ResourcePage, ResourceQuery, UserStore } from './resources/ports.ts';
export type { UserWithGroups } from './resources/user.ts';
