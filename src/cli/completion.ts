import { Argument, type Command, type Option } from 'commander';
import { registerPlainCommand, type Select } from './command.ts';
import { parseEnum, takesFile } from './options.ts';
import { exitCodes } from './errors.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
const shells = Object.keys(scripts);

export function registerCompletion(command: Command, select: Select): void {
  registerPlainCommand(
    command,
    {
      arguments: [new Argument('<shell>', 'bash, zsh or fish').choices(shells).argParser((typed: string) => parseEnum(typed, shells))],
      examples: [
        'source <(rollcall completion bash)',
        'rollcall completion zsh > "${fpath[1]}/_rollcall"',
        'rollcall completion fish > ~/.config/fish/completions/rollcall.fish',
      ],
      run: async ({ stdout }) => {
        stdout.write(scripts[command.args[0] as keyof typeof scripts](findPlaces(command.parent!)));
        return exitCodes.success;
      },
    },
    select,
  );
}

/** What can be completed after `rollcall`, or after `rollcall directories create`. */
interface Place {
  /** The commands before it, without `rollcall`. */
  path: string;
  words: Word[];
  options: OptionWord[];
}

interface Word {
  name: string;
  summary: string;
}

interface OptionWord extends Word {
  takes: 'nothing' | 'file' | 'value' | string[];
}

function findPlaces(command: Command, path: string[] = []): Place[] {
  const place: Place = {
    path: path.join(' '),
    words: [
      ...command.commands.map((one) => ({ name: one.name(), summary: one.description() })),
      ...command.registeredArguments.flatMap(({ argChoices }) => argChoices?.map((name) => ({ name, summary: '' })) ?? []),
      ...(path.join(' ') === 'help' ? helpWords(command) : []),
    ],
    options: [...command.options.flatMap(toWord), { name: '--help', summary: 'show help', takes: 'nothing' }],
  };
  return [place, ...command.commands.flatMap((one) => findPlaces(one, [...path, one.name()]))];
}

const helpWords = ({ parent }: Command): Word[] => [
  ...(parent?.commands.map((one) => ({ name: one.name(), summary: one.description() })) ?? []),
  { name: 'exit-codes', summary: 'list the exit codes' },
];

function toWord(option: Option): OptionWord[] {
  const { long, description } = option;
  if (!long) return [];
  const isFlag = !option.required && !option.optional;
  return [{ name: long, summary: description, takes: isFlag ? 'nothing' : takesFile(option) ? 'file' : (option.argChoices ?? 'value') }];
}

/** For the scripts: all commands, and all options that take a value. */
const pathsOf = (places: Place[]): string[] => places.flatMap(({ path }) => (path === '' ? [] : path));
const valueFlagsOf = (places: Place[]): string[] => [
  ...new Set(places.flatMap(({ options }) => options.filter(({ takes }) => takes !== 'nothing').map(({ name }) => name))),
];

/** For bash 3.2 and newer; does not need the bash-completion package. */
function bashScript(places: Place[]): string {
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
${places.flatMap(bashOptionCases).join('\n')}
    *)
      case "$path" in
${places.map(bashPlaceCase).join('\n')}
      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _rollcall rollcall
`;
}

const bashOptionCases = ({ path, options }: Place) =>
  options.flatMap(({ name, takes }) => {
    const place = `    '${path}:${name}')`;
    if (takes === 'nothing') return [];
    if (takes === 'file') return [`${place} COMPREPLY=($(compgen -f -- "$current")); return ;;`];
    return [`${place} ${takes === 'value' ? 'return' : `words='${takes.join(' ')}'`} ;;`];
  });

const bashPlaceCase = ({ path, words, options }: Place) => {
  const names = words.map(({ name }) => name).join(' ');
  const flags = options.map(({ name }) => name).join(' ');
  return `        '${path}') if [[ $current == -* ]]; then words='${flags}'; else words='${names}'; fi ;;`;
};

function zshScript(places: Place[]): string {
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
${places.flatMap(zshOptionCases).join('\n')}
  esac
  case "$place:$current" in
${places.map(zshPlaceCases).join('\n')}
  esac
  (( \${#found} )) && _describe 'rollcall' found
}
if [[ \${zsh_eval_context[-1]} == loadautofunc ]]; then _rollcall "$@"; else compdef _rollcall rollcall; fi
`;
}

const zshOptionCases = ({ path, options }: Place) =>
  options.flatMap(({ name, takes }) => {
    const place = `    '${path}:${name}')`;
    if (takes === 'nothing') return [];
    if (takes === 'file') return [`${place} _files; return ;;`];
    return [`${place} ${takes === 'value' ? 'return' : `compadd -- ${takes.join(' ')}; return`} ;;`];
  });

const zshPlaceCases = ({ path, words, options }: Place) =>
  [`    '${path}:-'*) found=(${options.map(describe).join(' ')}) ;;`, `    '${path}:'*) found=(${words.map(describe).join(' ')}) ;;`].join(
    '\n',
  );

const describe = ({ name, summary }: Word | OptionWord) => `'${name}:${summary.replaceAll("'", "'\\''").replaceAll(':', '\\:')}'`;

function fishScript(places: Place[]): string {
  return `# rollcall completion fish
function __rollcall_place
  set -l place
  set -l skip
  for word in (commandline -opc)[2..-1]
    if set -q skip[1]
      set -e skip
      continue
    end
    if contains -- $word ${valueFlagsOf(places).join(' ')}
      set skip 1
    else if contains -- (string join ' ' -- $place $word) ${pathsOf(places).map(quote).join(' ')}
      set -a place $word
    end
  end
  string join ' ' -- $place
end
function __rollcall_at
  set -l place (__rollcall_place)
  test "$place" = "$argv[1]"
end
complete -c rollcall -f
${places.flatMap(lines).join('\n')}
`;
}

const lines = ({ path, words, options }: Place) => {
  const at = `complete -c rollcall -n ${quote(`__rollcall_at ${quote(path)}`)}`;
  return [
    ...words.map(({ name, summary }: Word) => `${at} -a ${name} -d ${quote(summary)}`),
    ...options.map(({ name, summary, takes }: OptionWord) => `${at} -l ${name.slice(2)}${valuesOf(takes)} -d ${quote(summary)}`),
  ];
};

function valuesOf(takes: OptionWord['takes']): string {
  if (takes === 'nothing') return '';
  if (takes === 'file') return ' -r -F';
  return takes === 'value' ? ' -x' : ` -x -a ${quote(takes.join(' '))}`;
}

const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
