#!/usr/bin/env bash
# SessionEnd hook of Claude Code: writes the retrospective of the session that ends. The hook gets one JSON object on
# standard input; `transcript_path` in it is the session's log. Reports go to $TURNPOINT_REPORTS, else to ~/turnpoint,
# one folder for each session. A hook should not get in the way: what goes wrong is one line on standard error.
set -u
# One line is read, and not to the end of the input: standard input of a hook may never be closed.
IFS= read -r -t 5 input || true
path=$(sed -n 's/.*"transcript_path"[[:space:]]*:[[:space:]]*"\([^"]*\)".*/\1/p' <<< "${input:-}")
if [ ! -f "$path" ]; then
    echo "session-end.sh: no transcript_path in the hook's input" >&2
    exit 0
fi
folder=${TURNPOINT_REPORTS:-$HOME/turnpoint}/$(basename "$path" .jsonl)
turnpoint retro "$path" -o "$folder/" || echo "session-end.sh: no report of $path" >&2
exit 0
