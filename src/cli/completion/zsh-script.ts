import type { OptionWord, Place, Word } from './words.ts';

export function zshScript(places: Place[]): string {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  const takers = [...new Set(places.flatMap(({ options }) => options.filter(({ takes }) => takes !== 'nothing').map(({ name }) => name)))];
  return `#compdef rollcall
# rollcall completion zsh
_rollcall() {
  local word place='' skip='' current="\${words[CURRENT]}" previous="\${words[CURRENT-1]}"
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n $skip ]]; then skip=''; continue; fi
    case "$word" in
      ${takers.join('|')}) skip=1 ;;
      *) case "\${place:+$place }$word" in
        ${paths.join('|')}) place="\${place:+$place }$word" ;;
      esac ;;
    esac
  done
  case "$place:$previous" in
${places.flatMap(optionCases).join('\n')}
  esac
  case "$place:$current" in
${places.map(placeCases).join('\n')}
  esac
  (( \${#found} )) && _describe 'rollcall' found
}
if [[ \${zsh_eval_context[-1]} == loadautofunc ]]; then _rollcall "$@"; else compdef _rollcall rollcall; fi
`;
}

const optionCases = ({ path, options }: Place) =>
  options.flatMap(({ name, takes }) => {
    const place = `    '${path}:${name}')`;
    if (takes === 'nothing') return [];
    if (takes === 'file') return [`${place} _files; return ;;`];
    return [`${place} ${takes === 'value' ? 'return' : `compadd -- ${takes.join(' ')}; return`} ;;`];
  });

const placeCases = ({ path, words, options }: Place) =>
  [`    '${path}:-'*) found=(${options.map(describe).join(' ')}) ;;`, `    '${path}:'*) found=(${words.map(describe).join(' ')}) ;;`].join(
    '\n',
  );

const describe = ({ name, summary }: Word | OptionWord) => `'${name}:${summary.replaceAll("'", "'\\''").replaceAll(':', '\\:')}'`;
