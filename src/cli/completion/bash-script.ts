import type { Place } from './words.ts';

/** For bash 3.2 and newer, without the package bash-completion. */
export function bashScript(places: Place[]): string {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  const takers = [...new Set(places.flatMap(({ options }) => options.filter(({ takes }) => takes !== 'nothing').map(({ name }) => name)))];
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
      ${takers.join('|')}) skip=1 ;;
      *)
        case "\${path:+$path }$word" in
          ${paths.join('|')}) path="\${path:+$path }$word" ;;
        esac
        ;;
    esac
  done
  previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  [[ $previous == '=' ]] && previous="\${COMP_WORDS[COMP_CWORD - 2]}"
  [[ $current == '=' ]] && current=''
  case "$path:$previous" in
${places.flatMap(optionCases).join('\n')}
    *)
      case "$path" in
${places.map(placeCase).join('\n')}
      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _rollcall rollcall
`;
}

const optionCases = ({ path, options }: Place) =>
  options.flatMap(({ name, takes }) => {
    const place = `    '${path}:${name}')`;
    if (takes === 'nothing') return [];
    if (takes === 'file') return [`${place} COMPREPLY=($(compgen -f -- "$current")); return ;;`];
    return [`${place} ${takes === 'value' ? 'return' : `words='${takes.join(' ')}'`} ;;`];
  });

const placeCase = ({ path, words, options }: Place) => {
  const names = words.map(({ name }) => name).join(' ');
  const flags = options.map(({ name }) => name).join(' ');
  return `        '${path}') if [[ $current == -* ]]; then words='${flags}'; else words='${names}'; fi ;;`;
};
