import { z } from 'zod';
import { pageQuery, selectorQuery } from '../../directory/directory-requests.ts';
import { groupAnswer, memberAnswer, nestedGroup, wholeGroup } from './answers/group.ts';
import { answerOf, type Operation } from './operation.ts';
import { whereToLook } from './where-to-look.ts';

const all = '/api/v1/directory-sync/groups';
const one = `${all}/{groupId}`;
const its = { tag: 'Groups', auth: 'apiKey', method: 'get', ...whereToLook } as const;

export const groupOperations: Operation[] = [
  {
    ...its,
    operationId: 'groups.list',
    path: all,
    summary: 'Lists groups, oldest first, without their members.',
    query: [selectorQuery, pageQuery],
    answers: { 200: answerOf('The groups.', z.array(groupAnswer)) },
  },
  {
    ...its,
    operationId: 'groups.get',
    path: one,
    summary: 'Reads a group with its members.',
    description: `${its.description} A group with more than 100,000 members is refused: read its members by page.`,
    query: [selectorQuery],
    answers: { 200: answerOf('The group.', wholeGroup) },
  },
  {
    ...its,
    operationId: 'groups.members',
    path: `${one}/members`,
    summary: 'Lists the users in a group, in the order in which they came.',
    description: `${its.description} This answer has no \`error\`.`,
    query: [selectorQuery, pageQuery],
    answers: { 200: { description: 'The members.', content: { 'application/json': z.strictObject({ data: z.array(memberAnswer) }) } } },
  },
  {
    ...its,
    operationId: 'groups.nestedGroups',
    path: `${one}/nested-groups`,
    summary: 'Lists the groups in a group, in the order in which they came.',
    query: [selectorQuery, pageQuery],
    answers: { 200: answerOf('The groups in it.', z.array(nestedGroup)) },
  },
];
