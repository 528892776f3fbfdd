export type AttributeType = 'string' | 'boolean' | 'decimal' | 'integer' | 'dateTime' | 'reference' | 'binary' | 'complex';

/** An attribute definition (RFC 7643, section 7). */
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

/** The path of an attribute, resolved against the resource type: in canonical spelling where the type knows it. Plain JSON. */
export interface AttributePath {
  /** The URN of the extension. */
  extension?: string;
  /** It is absent if the path names a whole extension. */
  attribute?: string;
  sub?: string;
}
