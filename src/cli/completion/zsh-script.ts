import { pathsOf, valueFlagsOf, type OptionWord, type Place, type Word } from './places.ts';

export function zshScript(places: Place[]): string {
  return `#compdef rollcall
# rollcall completion zsh
_rollcall() {
  local word place='' skip='' current="\${words[CURRENT]}" previous="\${words[CURRENT-1]}"
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n $skip ]]; then skip=''; continue; fi
    case "$word" in
      ${valueFlagsOf(places).join('|')}) skip=1 ;;
      *) case "\${place:+$place }$word" in
        ${pathsOf(places)
          .map((path) => `'${path}'`)
          .join('|')}) place="\${place:+$place }$word" ;;
      esac ;;
    esac
  done
  case "$place:$previous" in
${places.flatMap(casesOfOptions).join('\n')}
  esac
  case "$place:$current" in
${places.map(casesOfPlace).join('\n')}
  esac
  (( \${#found} )) && _describe 'rollcall' found
}
if [[ \${zsh_eval_context[-1]} == loadautofunc ]]; then _rollcall "$@"; else compdef _rollcall rollcall; fi
`;
}

const casesOfOptions = ({ path, options }: Place) =>
  options.flatMap(({ name, takes }) => {
    const place = `    '${path}:${name}')`;
    if (takes === 'nothing') return [];
    if (takes === 'file') return [`${place} _files; return ;;`];
    return [`${place} ${takes === 'value' ? 'return' : `compadd -- ${takes.join(' ')}; return`} ;;`];
  });

const casesOfPlace = ({ path, words, options }: Place) =>
  [`    '${path}:-'*) found=(${options.map(describe).join(' ')}) ;;`, `    '${path}:'*) found=(${words.map(describe).join(' ')}) ;;`].join(
    '\n',
  );

const describe = ({ name, summary }: Word | OptionWord) => `'${name}:${summary.replaceAll("'", "'\\''").replaceAll(':', '\\:')}'`;
