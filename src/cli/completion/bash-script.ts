import { pathsOf, valueFlagsOf, type Place } from './places.ts';

/** For bash 3.2 and newer; does not need the bash-completion package. */
export function bashScript(places: Place[]): string {
  return `# rollcall completion bash
_rollcall() {
  local word previous skip index path='' current="\${COMP_WORDS[COMP_CWORD]}" words=''
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    if [[ -n $skip ]]; then
      [[ $word == '=' ]] || skip=''
      continue
    fi
    case "$word" in
      ${valueFlagsOf(places).join('|')}) skip=1 ;;
      *)
        case "\${path:+$path }$word" in
          ${pathsOf(places)
            .map((path) => `'${path}'`)
            .join('|')}) path="\${path:+$path }$word" ;;
        esac
        ;;
    esac
  done
  previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  [[ $previous == '=' ]] && previous="\${COMP_WORDS[COMP_CWORD - 2]}"
  [[ $current == '=' ]] && current=''
  case "$path:$previous" in
${places.flatMap(casesOfOptions).join('\n')}
    *)
      case "$path" in
${places.map(caseOfPlace).join('\n')}
      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _rollcall rollcall
`;
}

const casesOfOptions = ({ path, options }: Place) =>
  options.flatMap(({ name, takes }) => {
    const place = `    '${path}:${name}')`;
    if (takes === 'nothing') return [];
    if (takes === 'file') return [`${place} COMPREPLY=($(compgen -f -- "$current")); return ;;`];
    return [`${place} ${takes === 'value' ? 'return' : `words='${takes.join(' ')}'`} ;;`];
  });

const caseOfPlace = ({ path, words, options }: Place) => {
  const names = words.map(({ name }) => name).join(' ');
  const flags = options.map(({ name }) => name).join(' ');
  return `        '${path}') if [[ $current == -* ]]; then words='${flags}'; else words='${names}'; fi ;;`;
};
