/** The steps of a guide as a numbered list in Markdown, in English. */
export function writeSteps({ steps }) {
  return steps.map(({ text, fields = [] }, index) => writeItem(`${index + 1}. `, [text.en, ...writeFields(fields)])).join('\n');
}

/** What belongs to an item is indented as far as its text. */
function writeItem(marker, parts) {
  const lines = parts.join('\n\n').split('\n');
  return marker + lines.map((line, index) => (index === 0 || line === '' ? line : ' '.repeat(marker.length) + line)).join('\n');
}

/** A table, and a block for each value that does not fit into one. */
function writeFields(fields) {
  const rows = fields.filter((field) => !isBlock(field)).map(({ label, value }) => `| **${label}** | ${writeValue(value)} |`);
  const blocks = fields.filter(isBlock).map(({ label, value }) => `**${label}**:\n\n\`\`\`json\n${value.text}\n\`\`\``);
  return [...(rows.length > 0 ? [`| Field | Value |\n| --- | --- |\n${rows.join('\n')}`] : []), ...blocks];
}

const isBlock = ({ value }) => 'text' in value && value.text.includes('\n');

function writeValue(value) {
  if ('of' in value) return `\`scim.${value.of}\``;
  return 'label' in value ? value.label : `\`${value.text}\``;
}
