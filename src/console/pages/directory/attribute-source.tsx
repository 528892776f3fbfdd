import type { AttributeSource } from '../../../client/generated/types.ts';

type Origin = NonNullable<AttributeSource['first_of']>[number];
type Constant = NonNullable<AttributeSource['constant']>;
type AttributeType = 'string' | 'number' | 'boolean' | 'date' | 'object';
export type LetterCase = NonNullable<AttributeSource['case']>;

/** A path or a constant, as somebody types it. */
export interface TypedOrigin {
  kind: 'path' | 'constant';
  text: string;
}

export const letterCases: Record<LetterCase, string> = { lower: 'in lower case', upper: 'in upper case' };

const originsOf = (source: AttributeSource): Origin[] =>
  source.first_of ?? [source.path === undefined ? { constant: source.constant } : { path: source.path }];

export const toTyped = (source: AttributeSource): TypedOrigin[] =>
  originsOf(source).map(({ path, constant }) =>
    path === undefined ? { kind: 'constant', text: String(constant) } : { kind: 'path', text: path },
  );

export function toSource(typed: readonly TypedOrigin[], type: AttributeType, letterCase: LetterCase | undefined): AttributeSource {
  const origins = typed.map(({ kind, text }): Origin => (kind === 'path' ? { path: text.trim() } : { constant: toConstant(text, type) }));
  const [first, ...others] = origins;
  return { ...(others.length > 0 ? { first_of: origins } : first), ...(letterCase && { case: letterCase }) };
}

/** What does not fit stays text, and the service says what is wrong with it. */
function toConstant(text: string, type: AttributeType): Constant {
  const trimmed = text.trim();
  if (type === 'boolean' && ['true', 'false'].includes(trimmed)) return trimmed === 'true';
  if (type === 'number' && trimmed !== '' && Number.isFinite(Number(trimmed))) return Number(trimmed);
  return text;
}

/** `title`, else “none”, in lower case. */
export function SourceText({ source }: { source: AttributeSource | null }) {
  if (source === null) return <span class="soft">No value</span>;
  return (
    <span>
      {originsOf(source).map(({ path, constant }, place) => (
        <span key={place}>
          {place > 0 && ', else '}
          {path === undefined ? <span class="isolated">“{String(constant)}”</span> : <code>{path}</code>}
        </span>
      ))}
      {source.case && `, ${letterCases[source.case]}`}
    </span>
  );
}
