export type Shell = 'bash' | 'zsh' | 'fish' | 'powershell';

// Every script asks the program itself: "drover __complete WORDS…" answers candidates, one a line with a tab before the description,
// and at last ":NUMBER" (2: no space behind, 4: no file names).

const bash = `# bash completion for drover
_drover() {
  local line=\${COMP_LINE:0:COMP_POINT} words cur prefix reply directive candidate
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  cur=\${words[\${#words[@]}-1]}
  reply=$("\${words[0]}" __complete "\${words[@]:1}" 2>/dev/null) || return
  directive=\${reply##*:}
  reply=\${reply%:*}
  # Bash splits words at = and :, and replaces only what is behind them.
  prefix=\${cur%"\${cur##*[=:]}"}
  COMPREPLY=()
  while IFS= read -r candidate; do
    candidate=\${candidate%%$'\\t'*}
    [[ -n $candidate ]] && COMPREPLY+=("\${candidate#"$prefix"}")
  done <<<"$reply"
  (( directive & 2 )) && compopt -o nospace
  if (( ! (directive & 4) && \${#COMPREPLY[@]} == 0 )); then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "\${cur#"$prefix"}")
  fi
}
complete -F _drover drover
`;

const zsh = `#compdef drover
_drover() {
  local -a lines candidates
  local reply directive line value
  reply=$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null) || return
  lines=("\${(@f)reply}")
  directive=\${lines[-1]#:}
  for line in "\${(@)lines[1,-2]}"; do
    value=\${line%%$'\\t'*}
    [[ -z $value ]] && continue
    if [[ $line == *$'\\t'* ]]; then
      candidates+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
    else
      candidates+=("\${value//:/\\\\:}")
    fi
  done
  if (( \${#candidates} == 0 && ! (directive & 4) )); then
    _files
  elif (( directive & 2 )); then
    _describe -V drover candidates -S ''
  else
    _describe -V drover candidates
  fi
}
compdef _drover drover
`;

const fish = `# fish completion for drover
function __drover_complete
    set -l words (commandline -opc)
    # In quotes: an empty word is a word too.
    set -l current (commandline -ct)
    set -l reply ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
    test (count $reply) -gt 0; or return
    set -l directive (string sub -s 2 -- $reply[-1])
    if test (count $reply) -eq 1; and test (math "bitand($directive, 4)") -eq 0
        __fish_complete_path "$current"
        return
    end
    printf '%s\\n' $reply[1..-2]
end
complete -c drover -f -a '(__drover_complete)'
`;

const powershell = `# PowerShell completion for drover
Register-ArgumentCompleter -Native -CommandName drover -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
    # Older versions drop arguments that are empty, so that a new word is told otherwise.
    $env:DROVER_COMPLETE_NEW_WORD = if ($wordToComplete -eq '') { '1' } else { $null }
    try { $reply = @(& $words[0] __complete @($words | Select-Object -Skip 1) 2>$null) }
    finally { $env:DROVER_COMPLETE_NEW_WORD = $null }
    $reply | Where-Object { $_ -notmatch '^:\\d+$' } | ForEach-Object {
        $value, $description = $_ -split "\`t", 2
        if (-not $description) { $description = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
    }
}
`;

export const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell };
