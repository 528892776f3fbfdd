import { escape } from '../escape.ts';

export const schemaAnchor = (name: string): string => `schema-${name}`;
export const tagAnchor = (name: string): string => `tag-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;

/** As `id` in an attribute: no spaces, no quotes. */
export const idOf = (anchor: string): string => escape(anchor.replaceAll(/\s+/g, '-'));
export const hrefOf = (anchor: string): string => escape(`#${encodeURIComponent(anchor.replaceAll(/\s+/g, '-'))}`);

export const schemaLink = (name: string): string => `<a href="${hrefOf(schemaAnchor(name))}">${escape(name)}</a>`;

export const securityAnchor = (name: string): string => `security-${name}`;
