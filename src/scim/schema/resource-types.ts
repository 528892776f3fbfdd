import type { ResourceType, Schema } from './attribute.ts';
import { enterpriseUserSchema } from './enterprise-user.ts';
import { groupSchema } from './group.ts';
import { userSchema } from './user.ts';

export const userType: ResourceType = {
  name: 'User',
  endpoint: '/Users',
  description: 'User Account',
  schema: userSchema,
  extensions: [enterpriseUserSchema],
};

export const groupType: ResourceType = {
  name: 'Group',
  endpoint: '/Groups',
  description: 'Group',
  schema: groupSchema,
  extensions: [],
};

export const resourceTypes: ResourceType[] = [userType, groupType];
export const schemas: Schema[] = [userSchema, enterpriseUserSchema, groupSchema];
