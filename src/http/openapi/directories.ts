import { z } from 'zod';
import { createDirectoryRequest, ownerQuery, pageQuery, productQuery, updateDirectoryRequest } from '../../directory/directory-requests.ts';
import { scimRotationRequest } from '../../directory/scim-secrets.ts';
import { directoryAnswer, directoryWithHealth, recordedRequestAnswer, rotatedScimSecret } from './answers/directory.ts';
import { answerOf, type Operation } from './operation.ts';

const all = '/api/v1/directory-sync';
const one = `${all}/{directoryId}`;
const its = { tag: 'Directories', auth: 'apiKey' } as const;

export const directoryOperations: Operation[] = [
  {
    ...its,
    operationId: 'directories.create',
    method: 'post',
    path: all,
    summary: 'Creates a directory.',
    description: 'The answer has the SCIM address and the secret to give to the provider, and the secret that webhooks are signed with.',
    body: { schema: createDirectoryRequest },
    answers: { 201: answerOf('The new directory.', directoryAnswer) },
  },
  {
    ...its,
    operationId: 'directories.list',
    method: 'get',
    path: all,
    summary: 'Lists the directories of a tenant and product, newest first.',
    query: [ownerQuery, pageQuery],
    answers: { 200: answerOf('The directories.', z.array(directoryAnswer)) },
  },
  {
    ...its,
    operationId: 'directories.listOfProduct',
    method: 'get',
    path: `${all}/product`,
    summary: 'Lists the directories of a product, of all tenants, newest first.',
    query: [productQuery, pageQuery],
    answers: { 200: answerOf('The directories.', z.array(directoryAnswer)) },
  },
  {
    ...its,
    operationId: 'directories.listAll',
    method: 'get',
    path: `${all}/all`,
    summary: 'Lists all directories of the installation, newest first.',
    query: [pageQuery],
    answers: { 200: answerOf('The directories.', z.array(directoryAnswer)) },
  },
  {
    ...its,
    operationId: 'directories.get',
    method: 'get',
    path: one,
    summary: 'Reads a directory, with its health.',
    answers: { 200: answerOf('The directory.', directoryWithHealth) },
  },
  {
    ...its,
    operationId: 'directories.update',
    method: 'patch',
    path: one,
    summary: 'Changes what is given of a directory.',
    description: 'What is not given stays. An empty `webhook_url` takes the webhook away; tenant, product and type are fixed.',
    body: { schema: updateDirectoryRequest },
    answers: { 200: answerOf('The directory as it is now.', directoryAnswer) },
  },
  {
    ...its,
    operationId: 'directories.delete',
    method: 'delete',
    path: one,
    summary: 'Deletes a directory, with its users, groups and events, delivered or not.',
    answers: { 200: answerOf('It is gone.', z.strictObject({})) },
  },
  {
    ...its,
    operationId: 'directories.rotateScimSecret',
    method: 'post',
    path: `${one}/scim/secret/rotate`,
    summary: 'Gives a directory a new SCIM secret.',
    description: 'The former one stays valid for a while, so that the provider can be given the new one in peace.',
    body: { schema: scimRotationRequest, isOptional: true },
    answers: { 200: answerOf('The new secret.', rotatedScimSecret) },
  },
  {
    ...its,
    operationId: 'directories.requests',
    method: 'get',
    path: `${one}/requests`,
    summary: 'Lists what the provider really sent, newest first.',
    description: 'The last hundred SCIM requests, without passwords, with what they were answered. `/scim-requests` is another name of it.',
    query: [pageQuery],
    answers: { 200: answerOf('The requests.', z.array(recordedRequestAnswer)) },
  },
];
