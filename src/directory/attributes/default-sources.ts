import type { DirectoryType } from '../directories/directory.ts';
import type { PredefinedName } from './attribute.ts';
import type { Source } from './source.ts';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const firstOf = (...paths: string[]): Source => ({ first_of: paths.map((path) => ({ path })) });

const scim: Record<PredefinedName, Source> = {
  job_title: { path: 'title' },
  department_name: { path: `${enterprise}:department` },
  // `manager.value` is usually an ID.
  manager_email: firstOf(`${enterprise}:manager.email`, `${enterprise}:manager[value co "@"].value`),
  employee_number: { path: `${enterprise}:employeeNumber` },
  employment_start_date: firstOf(`${enterprise}:startDate`, `${enterprise}:employeeHireDate`, 'startDate', 'hireDate', 'employeeHireDate'),
  cost_center_name: { path: `${enterprise}:costCenter` },
  division_name: { path: `${enterprise}:division` },
  organization: { path: `${enterprise}:organization` },
  employee_type: { path: 'userType' },
  addresses: { path: 'addresses' },
  emails: { path: 'emails' },
  username: { path: 'userName' },
};

/** Google's user: https://developers.google.com/workspace/admin/directory/reference/rest/v1/users */
const google: Partial<Record<PredefinedName, Source>> = {
  job_title: { path: 'organizations.title' },
  department_name: { path: 'organizations.department' },
  manager_email: { path: 'relations[type eq "manager"].value' },
  employee_number: { path: 'externalIds[type eq "organization"].value' },
  cost_center_name: { path: 'organizations.costCenter' },
  organization: { path: 'organizations.name' },
  // The Admin console shows it as the type of employee.
  employee_type: { path: 'organizations.description' },
  addresses: { path: 'addresses' },
  emails: { path: 'emails' },
  username: { path: 'userName' },
};

/** Users of Entra that are read with Graph have the same form as pushed ones, without what Graph is not asked for. */
const { job_title, department_name, employee_number, employee_type, emails, username } = scim;
const entra = { job_title, department_name, employee_number, employee_type, emails, username };

/** A column of `users.csv` that has the name of an attribute. */
const column = (name: PredefinedName): Source => ({ path: `urn:rollcall:params:scim:schemas:csv:2.0:Attributes:${name}` });
const csv: Partial<Record<PredefinedName, Source>> = {
  job_title: column('job_title'),
  department_name: column('department_name'),
  manager_email: column('manager_email'),
  employee_number: column('employee_number'),
  employment_start_date: column('employment_start_date'),
  cost_center_name: column('cost_center_name'),
  division_name: column('division_name'),
  organization: column('organization'),
  employee_type: column('employee_type'),
  emails: { path: 'emails' },
  username: { path: 'userName' },
};

const byType: Record<DirectoryType, Partial<Record<PredefinedName, Source>>> = {
  'azure-scim-v2': scim,
  'onelogin-scim-v2': scim,
  'okta-scim-v2': scim,
  'jumpcloud-scim-v2': scim,
  'generic-scim-v2': scim,
  google,
  entra,
  csv,
};

/** Where the predefined attributes come from in a directory without a mapping. */
export const defaultSourcesOf = (type: DirectoryType): Partial<Record<string, Source>> => byType[type];
