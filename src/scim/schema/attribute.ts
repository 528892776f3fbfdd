export type AttributeType = 'string' | 'boolean' | 'decimal' | 'integer' | 'dateTime' | 'reference' | 'binary' | 'complex';

/** An attribute as RFC 7643, section 7, describes it. */
export interface Attribute {
  name: string;
  type: AttributeType;
  multiValued: boolean;
  description: string;
  required: boolean;
  caseExact: boolean;
  mutability: 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly';
  returned: 'always' | 'never' | 'default' | 'request';
  uniqueness: 'none' | 'server' | 'global';
  canonicalValues?: string[];
  referenceTypes?: string[];
  subAttributes?: Attribute[];
}

export interface Schema {
  id: string;
  name: string;
  description: string;
  attributes: Attribute[];
}

export type ResourceTypeName = 'User' | 'Group';

export interface ResourceType {
  name: ResourceTypeName;
  endpoint: '/Users' | '/Groups';
  description: string;
  schema: Schema;
  extensions: Schema[];
}

/** Names one attribute of a resource, resolved against its type: canonical names where the type knows them. Plain JSON. */
export interface AttributePath {
  /** The extension's URN, as the name of the object that holds the attribute. */
  extension?: string;
  /** Absent if the path names a whole extension. */
  attribute?: string;
  sub?: string;
}
