import type { User } from '../../../client/generated/types.ts';
import { Status } from '../../parts/status.tsx';

export const userStates = { active: 'Active', inactive: 'Inactive' };

export const UserState = ({ state }: { state: User['state'] }) => (
  <Status word={userStates[state]} tone={state === 'active' ? 'good' : 'off'} />
);
