import type { ResourceType, ResourceTypeName } from '../../scim/schema/attribute.ts';
import { groupType, userType } from '../../scim/schema/resource-types.ts';

const types: Record<ResourceTypeName, ResourceType> = { User: userType, Group: groupType };

export const resourceTypeOf = (name: ResourceTypeName): ResourceType => types[name];
