import { pathsOf, valueFlagsOf, type OptionWord, type Place, type Word } from './places.ts';

export function fishScript(places: Place[]): string {
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
